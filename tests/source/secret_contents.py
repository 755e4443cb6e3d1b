"""Texts that hold secrets, all invented, and texts that look like it and are harmless.

A `|` stands inside of what scanners of code hosts would know; it is taken out at run time. What is
secret in a text stands between `«` and `»`.
"""

_BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"
_HEX40 = "3f9a1c7be2045d68a9f0c1b2d3e4f5061728394a"
_HEX32 = "9f86d081884c7d659a2feaa0c55ad015"
_HEX64 = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9"
_B62 = "q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKo"

_SECRETS = f"""
-----BEGIN RSA PRI|VATE KEY-----\\n«{_BODY}»\\n-----END RSA PRI|VATE KEY-----
pem = "-----BEGIN PRI|VATE KEY-----\\\\n«{_BODY}»\\\\n-----END PRI|VATE KEY-----"
x = 1\\n-----BEGIN OPENSSH PRI|VATE KEY-----\\n«b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAA»\\n-----END OPENSSH PRI|VATE KEY-----
PuTTY-User-Key-File-2: ssh-rsa\\nPriv|ate-Lines: 1\\n«AAAAgQCn8rJx7QwPz0p3uVtY5sWk2mLdHf4bGcXy»\\nPriv|ate-MAC: 12
  tls.key: «LS0tLS1CRUdJTiBQ|UklWQVRFIEtFWS0tLS0tCk1JSUV2UUlCQURBTkJna3Foa2lHOXcwQkFRRUZBQVND»
aws_access_key_id = «AKIA|QY5LXW3PNB7RTJ2D»
"accessKeyId": "«ASIA|2E7QWX5YNRTB3LPD»",
aws_secret_access_key = «k9Xw2/PqL0vZt8RmN4bYs6HdJ3fGc5TuA1eKoWx7»
AWS_SECRET_ACCESS_KEY='«Zt8RmN4bYs6HdJ3fGc5TuA1eKoWx7k9Xw2+PqL0v»'
const key = "«AIza|SyD4k9Xw2PqL0vZt8RmN4bYs6HdJ3fGc5Tu»";
client_secret: «GOCSPX|-k9Xw2PqL0vZt8RmN4bYs6HdJ3fGc»
GITHUB_TOKEN=«ghp|_{_B62}»
token: "«github|_pat_11ABCDEFG0q7Rw2ZkP9xVt_4LmN8sBc6HdJ3fGy5TuA1eKo»"
git clone https://oauth2:«gl|pat-x7Kq2Wm9Tz4Lp8Rv3NbY»@gitlab.com/a/b.git
SLACK = "«xoxb|-263594206564-2343594206574-FGqddMF8t08v8N7Oq4i57vs1»"
url: https://hooks.slack.com/services/«T0A1B2C3D|/B4E5F6G7H/q7Rw2ZkP9xVt4LmN8sBc6HdJ»
stripe.api_key = '«sk_live|_51Hq7Rw2ZkP9xVt4LmN8sBc6H»'
whsec: "«whsec|_q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA»"
OPENAI_API_KEY=«sk-proj|-q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKoT3BlbkFJ»
client = Anthropic(api_key="«sk-ant|-api03-q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKo-Zz»")
HF_TOKEN = "«hf|_qRwZkPxVtLmNsBcHdJfGyTuAeKoWiXaDv7»"
//registry.example.org/:_authToken=«npm|_{_B62}»
password = «pypi|-AgEIcHlwaS5vcmcCJGE3Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKoq7Rw2ZkP9x»
TWILIO_AUTH_TOKEN={"«" + _HEX32 + "»"}
twilio = Client("«SK|{_HEX32}»")
SENDGRID_API_KEY: «SG.|q7Rw2ZkP9xVt4LmN8sBc6H.dJ3fGy5TuA1eKoq7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5»
mailgun: "«key|-{_HEX32}»"
jwt = "«eyJ|hbGciOiJIUzI1NiJ9.eyJzdWIiOiI4NDIxOTA1NyJ9.dozjgNryP4J3jVmNHl0w5NXgL0n3I9PlFUP0THsR8U»"
Authorization: Bearer «eyJ|hbGciOiJSUzI1NiJ9.eyJpc3MiOiJhY2NvdW50cyJ9.q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKo»
"DefaultEndpointsProtocol=https;AccountName=st;Account|Key=«q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKoq7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKoq7Rw2ZkP9xVt4L==»"
AZURE_CLIENT_SECRET="«abc8Q|~q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1e»"
HEROKU_API_KEY=«1f0c2d3e-8a47-4b6e-9d15-7c3a9e5b2f64»
DIGITALOCEAN = '«dop|_v1_{_HEX64}»'
shopify: «shpat|_{_HEX32}»
DATABRICKS_TOKEN=«dapi|{_HEX32}»
bot = Bot("«8412905731|:AAq7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1»")
VAULT_TOKEN=«hvs|.CAESIq7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5»
age: «AGE-SECRET-|KEY-1QYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQ5»
grafana = "«glsa|_q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA_1a2b3c4d»"
token = "«{_HEX40}»"
"secret": "«{_HEX64}»"
SECRET_KEY = '«django-insecure-8u$k2q@v7z#m4^p9w&x3r5t-y6n»'
SECRET_KEY = "«u8$k2!q@v7z#m4^p9w&x3r5t-y6n_b1c=h0j(d)s+e*f»"
define('AUTH_KEY', '«k9Xw2PqL0vZt8RmN4bYs6HdJ3fGc5TuA1eKoWx7!»');
APP_KEY=base64:«q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKo7Rw2ZkM=»
db_password: "«Tr0ub4dor&3x»"
password = '«Xk9#mP2$vL»'
  PGPASSWORD: «vB7!kQ2mZ9w»
spring.datasource.password=«Gr8t-Wh4le#99»
<password>«Zx81_kLm#20»</password>
<add key="ApiKey" value="«q7Rw2ZkP9xVt4LmN8sBc6HdJ3f»" />
DATABASE_URL=postgres://app:«vB7kQ2mZ9w»@db.internal:5432/app
redis://:«Xk9mP2vL77q»@cache:6379/0
"mongodb+srv://svc:«k9Xw2PqL0v»@cluster0.mongodb.net/?retryWrites=true"
Server=tcp:db;Database=x;User ID=sa;Password=«vB7!kQ2mZ9w»;Encrypt=true
curl -u admin:«vB7!kQ2mZ9w» https://host/api
mysql --password=«vB7kQ2mZ9wLp» -u root
machine git.internal login ci password «vB7kQ2mZ9wLpX4tR»
os.environ.get("API_TOKEN", "«q7Rw2ZkP9xVt4LmN8sBc6HdJ»")
private_key: "0x«{_HEX64}»"
CREATE USER app IDENTIFIED WITH plain PASSWORD '«vB7!kQ2mZ9w»';
{{"api_key": "«q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA»", "n": 1}}
consumer_secret => '«q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKoq7Rw2»',
"auth": {{"Authorization": "Basic «ZGVwbG95OnZCNyFrUTJtWjl3»"}}
export CLIENT_SECRET="«q7Rw2Z~kP9xVt4LmN8sBc6HdJ3f»"
"""

_HARMLESS = f"""
password = "changeme"
password: <your-password>
API_TOKEN=your-token-here
token = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
SECRET_KEY = os.environ["SECRET_KEY"]
password = getpass.getpass("Password: ")
password: ${{DB_PASSWORD}}
token: {{{{ .Values.token }}}}
apiKey: process.env.OPENAI_API_KEY,
secret = config.get("auth", "secret")
AKIAIOSFODNN7EXAMPLE
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
postgres://user:password@localhost:5432/db
postgres://postgres:postgres@localhost/test
https://user:pass@example.com/
git@github.com:org/repo.git
-----BEGIN PUBLIC KEY-----\\n{_BODY}\\n-----END PUBLIC KEY-----
-----BEGIN CERTIFICATE-----\\n{_BODY}\\n-----END CERTIFICATE-----
if b"-----BEGIN PRI|VATE KEY-----" in data: raise ValueError("a private key")
-----BEGIN RSA PRI|VATE KEY-----\\n...\\n-----END RSA PRI|VATE KEY-----
ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQC7VJTUt9Us8cKjq7Rw2ZkP9xVt4LmN8sBc6H me@host
"integrity": "sha512-q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKoq7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA=="
checksum = "{_HEX64}"
github.com/pkg/errors v0.9.1 h1:q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKo7Rw2ZkM=
commit {_HEX40}
sha256: {_HEX64}
"etag": "{_HEX32}"
id = "1f0c2d3e-8a47-4b6e-9d15-7c3a9e5b2f64"
uuid: 1f0c2d3e-8a47-4b6e-9d15-7c3a9e5b2f64
<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk">
next_page_token = "CAUQAA8f3K2lM9xZ"
publicKeyToken=b77a5c561934e089
"token_endpoint": "https://auth.example.org/oauth2/v2/token"
TOKEN_TYPE = "urn:ietf:params:oauth:token-type:jwt"
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased-v2")
password_field = "form-control-lg password2"
passwordHash: "$2b$12$abcdefghijklmnopqrstuv"
secretName: my-app-tls-2024
secretKeyRef: {{name: db-credentials-v2, key: password}}
class TokenBucket2: rate = 10
self.token = self.lexer.next_token_v2
token = Token(TokenKind.Identifier2, "value")
def set_password(self, password: str, old_password2: str | None) -> None:
'password' => 'required|string|min:8|confirmed',
password: yup.string().min(8).matches(/[A-Z0-9]/)
label: "Password (at least 8 characters, 1 digit)"
"password": "Mot de passe oublié ?"
passphrase = "correct horse battery staple"
credentials: "include",
credentials = service_account.Credentials.from_file(path2)
api_key_header = "X-Api-Key-V2"
access_token_url: "/oauth2/v1/access_token"
assert hash_password("test1234") != "test1234"
password = "test-password-123"
client_secret = "dummy-secret-value-1"
secret = "super-secret-key"
auth_key: SomeClassName.DEFAULT_KEY2
private_key_path = "/etc/ssl/private/server2.key"
ENCRYPTION_KEY_LENGTH = 32
ssh_key_fingerprint: "SHA256:q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA1eKo7Rw2ZkM"
color_token: "#3f9a1c7b"
csrf_token = "q7Rw2ZkP9xVt4LmN8sBc6HdJ3fGy5TuA"
"""


def _lines(text: str) -> list[str]:
    return [
        line.replace("|", "") if line.count("|") < 3 else line
        for line in (
            raw.replace("\\\\n", "\0").replace("\\n", "\n").replace("\0", "\\n")
            for raw in text.strip().split("\n")
        )
    ]


def secrets() -> list[tuple[str, list[str]]]:
    """Return texts, and the secrets in each."""
    results = []
    for line in _lines(_SECRETS):
        parts = line.replace("»", "«").split("«")
        results.append(("".join(parts), parts[1::2]))
    return results


def harmless() -> list[str]:
    return _lines(_HARMLESS)
