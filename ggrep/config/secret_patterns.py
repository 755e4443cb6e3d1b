"""Patterns of secrets in files: key formats of vendors, and words that occur near secrets.

The expressions are for RE2 over bytes. In a match of a vendor's pattern, the first group is
masked; without a group, the whole match.
"""

from typing import Final

VENDORS: Final = tuple(
    rb"""
    \b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b
    \bABSK[A-Za-z0-9+/]{80,}={0,2}
    \bamzn\.mws\.[0-9a-f-]{36}
    \bAIza[0-9A-Za-z_-]{35}
    \bGOCSPX-[0-9A-Za-z_-]{28}
    \bya29\.[0-9A-Za-z_-]{30,}
    \b1//0[0-9A-Za-z_-]{40,}
    \bgh[pousr]_[A-Za-z0-9]{36,}
    \bgithub_pat_[A-Za-z0-9_]{40,}
    \bgl(?:pat|ptt|dt|rt|rtr|cbt|ft|soat|agent|imt|oas|ffct)-[A-Za-z0-9_.-]{20,}
    \bGR1348941[A-Za-z0-9_-]{20,}
    \bATBB[A-Za-z0-9]{24,}
    \bATATT3[A-Za-z0-9_=-]{50,}
    \bxox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{16,}
    \bxapp-\d-[A-Z0-9]+-\d+-[A-Za-z0-9]{16,}
    hooks\.slack\.com/(?:services|workflows|triggers)/([A-Za-z0-9+/_]{24,})
    discord(?:app)?\.com/api/webhooks/([0-9]{16,}/[A-Za-z0-9_-]{60,})
    \b[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}
    (?:\b|/bot)(\d{8,10}:AA[A-Za-z0-9_-]{33})\b
    \b[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,}
    \bwhsec_[A-Za-z0-9+/=]{24,}
    \bsk-(?:proj|svcacct|admin|or-v1|None)-[A-Za-z0-9_-]{20,}
    \bsk-ant-[A-Za-z0-9]+-[A-Za-z0-9_-]{20,}
    \bsk-[A-Za-z0-9]{32,}
    \bhf_[A-Za-z0-9]{30,}
    \br8_[A-Za-z0-9]{37}
    \bgsk_[A-Za-z0-9]{40,}
    \bpplx-[A-Za-z0-9]{40,}
    \bxai-[A-Za-z0-9]{60,}
    \bnvapi-[A-Za-z0-9_-]{60,}
    \bnpm_[A-Za-z0-9]{36}
    \bpypi-[A-Za-z0-9_-]{50,}
    \brubygems_[a-f0-9]{48}
    \bcio[A-Za-z0-9]{32}\b
    \boy2[a-z0-9]{43}\b
    \bdckr_(?:pat|oat)_[A-Za-z0-9_-]{27,}
    \bSG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{32,64}
    \bSK[0-9a-f]{32}\b
    (?:^|[^A-Za-z0-9-])(key-[0-9a-f]{32})\b
    \b[0-9a-f]{32}-us\d{1,2}\b
    \bxkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}
    \bAC[0-9a-f]{32}[\"',:\s]{1,8}([0-9a-f]{32})\b
    \bsk\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{16,}
    \bre_[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}
    \bsq[apu]_[a-f0-9]{40}
    \bAKC[A-Za-z0-9]{60,}
    \bpat-[a-z]{2}\d-[a-f0-9-]{36}
    \bdt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{60,}
    \bCCIPAT_[A-Za-z0-9_]{40,}
    \bSWMTKN-1-[a-z0-9]{40,}-[a-z0-9]{20,}
    \bK10[a-f0-9]{48,}::[a-z]+:[a-f0-9]{24,}
    \baccess-(?:sandbox|development|production)-[a-f0-9-]{36}
    \b(?:sdk|api|mob)-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}
    \bFLWSECK(?:_TEST)?-[A-Za-z0-9]{12,}
    \bmfa\.[A-Za-z0-9_-]{60,}
    \boauth:([a-z0-9]{30})\b
    \bEAAA[A-Za-z0-9_-]{56,}
    \bops_eyJ[A-Za-z0-9_-]{100,}
    \by[01]_[A-Za-z0-9_-]{30,}
    \bAQVN[A-Za-z0-9_-]{30,}
    \bt1\.[A-Za-z0-9_-]{60,}={0,2}\.[A-Za-z0-9_-]{60,}={0,2}
    \b(?:IQoJb3JpZ2lu|FwoGZXIvYXdz)[A-Za-z0-9/+]{60,}={0,2}
    webhook\.office\.com/webhookb2/([a-f0-9-]{36}@[a-f0-9-]{36}/IncomingWebhook/[a-f0-9]{32}/[a-f0-9-]{36})
    hooks\.zapier\.com/hooks/catch/(\d+/[a-z0-9]{5,})
    [?&](?:app_?id|key|sig|signature|auth|code|s|k|t)=([A-Za-z0-9%_-]{24,})
    (?i:mnemonic|seed|phrase)[^\n]{0,16}[\"']((?:[a-z]{3,8}\x20){11,23}[a-z]{3,8})[\"']
    accounts[\"']?:\s*\[\s*[\"'](0x[a-f0-9]{64})
    (?i:_pk|priv|deployer|signer|wallet)[A-Za-z_]{0,16}[\"']?\s{0,4}[:=]\s{0,4}[\"']?((?:0x)?[a-f0-9]{64})\b
    (?i:secret|private)[_-]?(?i:key)[\"']?\s{0,4}[:=]\s{0,4}[\w\x20.]{0,24}\(?\[((?:\s{0,9}\d{1,3},){31}[\d,\s]{1,400})\]
    private_key_id[\"']?\s{0,4}[:=]\s{0,4}[\"']([a-f0-9]{40})
    (?i:unseal|recovery)[\x20_-]?(?i:key)[\x20_-]?\d{0,2}[\"']?[:=][\t\x20\"']{0,4}([A-Za-z0-9+/=]{20,})
    \b(?:validation|decryption)Key=\"([0-9A-Fa-f]{32,})\"
    infura\.io/(?:ws/)?v3/([a-f0-9]{32})
    alchemy(?:api)?\.(?:com|io)/v2/([A-Za-z0-9_-]{32})
    quiknode\.pro/([a-f0-9]{32,})
    maker\.ifttt\.com/[^\s\"']{1,64}/key/([A-Za-z0-9_-]{20,})
    ://([0-9a-f]{32}(?::[0-9a-f]{32})?)@
    \bfc-[a-f0-9]{32}\b
    \blsv2_[a-z]{2}_[a-f0-9]{32}_[a-f0-9]{10}
    \b[ps]k-lf-[a-f0-9]{8}-[a-f0-9-]{27}
    \btvly-[A-Za-z0-9-]{24,}
    \bpcsk_[A-Za-z0-9_]{40,}
    \beyJrIjoi[A-Za-z0-9+/]{60,}={0,2}
    _(?:live|prod)_([A-Za-z0-9]{20,})
    :(\$(?:apr1|[156y]|2[aby])\$[./A-Za-z0-9$=,]{20,})
    secret-token:([A-Za-z0-9_-]{16,})
    (?i:otp|mfa|2fa)[a-z_]{0,10}[\"']?\s{0,4}[:=]\s{0,4}[\"']?([A-Z2-7]{16,64})\b
    otpauth://[^\s\"']{1,128}[?&]secret=([A-Z2-7]{16,64})
    \becho\x20+(?:-n\x20+)?[\"']?(?:[\w.-]{1,32}:)?([^\s\"'|:$<{\(]{6,64})[\"']?\x20*\|\x20*(?:sudo\x20+)?(?:chpasswd|passwd\x20|docker\x20login|podman\x20login)
    \becho\x20+[\"']?([^\s\"'|:$<{\(]{6,64})[\"']?\x20*\|\x20*sudo\x20+-S
    \brabbitmqctl\x20+(?:add_user|change_password)\x20+\S{1,32}\x20+[\"']?([^\s\"'$<]{6,64})
    \bhtpasswd\x20+-[A-Za-z]*b[A-Za-z]*\x20+\S{1,64}\x20+\S{1,32}\x20+[\"']?([^\s\"'$<]{6,64})
    \bwpa_passphrase\x20+[\"']?[\w.-]{1,32}[\"']?\x20+[\"']?([^\s\"'$<]{8,63})
    \b(?:password|key|secret)\x20+7\x20+([0-9A-F]{8,})
    \bnet\x20+user?\x20+(?:\S+\x20+){1,4}?([^\s/\\:$%*<][^\s:$%<]{5,63})
    \{(?:S?SHA\d{0,3}|S?MD5|CRYPT)\}([A-Za-z0-9+/=$.]{20,})
    \*([0-9A-F]{40})\b
    \{(AQAAABAAAA[A-Za-z0-9+/=]{20,})\}
    \bsnmp-server\x20+community\x20+([^\s\"'$<]{6,64})
    <(?:D|P|Q|DP|DQ|InverseQ)>([A-Za-z0-9+/=]{40,})</
    \"(?:d|p|q|dp|dq|qi|k)\"\s{0,4}:\s{0,4}\"([A-Za-z0-9_-]{42,})\"
    \bMII[A-Za-z0-9+/]{1,5}(?:IBAAK[BC]|AIBADANBgkqhkiG9w0BAQEFAASC|QIBADANBgkqhkiG9w0BAQEFAASC)[A-Za-z0-9+/=]{32,}
    \b(?:MIGHAgEAM|MIGTAgEAM|MHcCAQEEI|MC4CAQAwBQYDK2V|b3BlbnNzaC1rZXktdjE)[A-Za-z0-9+/=]{32,}
    \beyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}
    \beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]*\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{16,}
    \dQ~[A-Za-z0-9_~.-]{31,34}
    (?i:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,}={0,2})
    [?&]sig=([A-Za-z0-9%+/]{40,}(?:=|%3[Dd])?)
    \bHRKU-[A-Za-z0-9_-]{30,}
    \bdo[opr]_v1_[a-f0-9]{64}
    \bshp(?:at|ca|pa|ss|pat)_[a-fA-F0-9]{32}
    \bsq0(?:atp|csp|idp)-[A-Za-z0-9_-]{22,}
    \baccess_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}
    \bdapi[a-f0-9]{32}
    \blin_(?:api|oauth)_[A-Za-z0-9]{32,}
    \b(?:secret|ntn)_[A-Za-z0-9]{43,}
    \bfig[du]_[A-Za-z0-9_-]{40,}
    \bpat[A-Za-z0-9]{14}\.[a-f0-9]{64}
    \bNRAK-[A-Z0-9]{27}
    \bNRJS-[a-f0-9]{19}
    \bgl(?:c|sa)_[A-Za-z0-9+/_]{32,}={0,2}
    \bsntry[su]_[A-Za-z0-9+/=_]{40,}
    \bdp\.(?:pt|st|ct|sa|scim|audit)\.[A-Za-z0-9_.-]{40,}
    \bhv[sbr]\.[A-Za-z0-9_-]{24,}
    \.atlasv1\.[A-Za-z0-9_-]{60,}
    \bpul-[a-f0-9]{40}
    \bpscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,}
    \bsbp_[a-f0-9]{40}
    \bsb_secret_[A-Za-z0-9_-]{20,}
    \bAGE-SECRET-KEY-1[0-9A-Z]{58}
    \btskey-(?:auth|api|client|webhook)-[A-Za-z0-9_-]{20,}
    \bPMAK-[a-f0-9]{24}-[a-f0-9]{34}
    \bsl\.[A-Za-z0-9_-]{100,}
    \bEAA[A-Za-z0-9]{80,}
    \bLTAI[A-Za-z0-9]{16,20}\b
    \bAKID[A-Za-z0-9]{32}\b
    \bv1\.0-[a-f0-9]{24}-[a-f0-9]{146}
    \bA3-[A-Z0-9]{6}-[A-Z0-9]{6}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}-[A-Z0-9]{5}
    \bCFPAT-[A-Za-z0-9_-]{43}
    \bPMAK-[A-Za-z0-9-]{50,}
    \bbkua_[a-z0-9]{40}
    \bfo1_[A-Za-z0-9_-]{40,}
    \bfm[12][ar]?_[A-Za-z0-9+/=_,-]{60,}
    \bEZ[AT]K[A-Za-z0-9]{54}
    \bAPPLICATION_TOKEN_[A-Za-z0-9_-]{20,}
    LS0tLS1CRUdJTiB(?:SU0EgUFJJVkFUR|QUklWQVRF|FQyBQUklWQVRF|PUEVOU1NI|FTkNSWVBU|EU0EgUFJJ)[A-Za-z0-9+/=]{40,}
    """.split()
)
"""Keys and tokens that are recognised by their form, or by the text directly before or after them.

Few forms begin like an ordinary word, because within such a form the automaton needs states for
every other form.
"""

HEADLESS: Final = rb"\dQ~|\.atlasv1\."
"""Fixed parts of forms that are not at the beginning of the key."""

RANDOM: Final = tuple(
    rb"""
    (?i:-key):\x20([A-Za-z0-9+/_=.~-]{16,})
    \b(?:Basic|Bearer)[\x20+]([A-Za-z0-9+/_.~-]{12,}={0,2})
    [\"'`=:@/][a-z]{2,8}[_-](?:[a-z0-9]{2,8}[_-])?([A-Za-z0-9]{28,})\b
    ://([A-Za-z0-9_.-]{20,})(?::|:x-oauth-basic)?@
    (?:_KEY|SALT|PEPPER|_AUTH|_DSN|_HOOK|_IV)[\t\x20]*[:=][\t\x20]*[\"']?([A-Za-z0-9+/_=.~-]{16,})
    (?:[a-z0-9]K|[\s_.-][Kk]|[\"'][Kk])ey[\"'`\])]{0,2}[\t\x20]*(?::=|=>?|:|,)[\t\x20]*[bruf]?[\"'`]([A-Za-z0-9+/_=.~-]{16,})
    (?:AES\.new|Fernet|SecretKeySpec|hmac\.new|createHmac\([^,\n]{1,20},|createCipher(?:iv)?\([^,\n]{1,24},)\(?\x20?b?[\"'`]([A-Za-z0-9+/_=.~!@-]{16,64})[\"'`]
    (?i:(?:[\"'_.\x20]auth|session|cookie)[\"'\]]{0,2}[\t\x20]*[:=]|(?:sess(?:ion)?_?id|connect\.sid)=)[\t\x20]*[\"']?([A-Za-z0-9+/_=.%-]{20,})
    """.split()
)
"""Forms whose group is secret if it looks random: upper and lower case letters and digits."""

HEXADECIMAL: Final = tuple(
    rb"""
    [A-Z0-9]_KEY[\"']?[\t\x20]*[:=][\t\x20]*[\"']?([0-9a-f]{32,128})\b
    [Ll]og_?[Ii]n\([\w=,\x20]{0,40}key=[\"']([0-9a-f]{32,128})[\"']
    (?:[a-z0-9]K|[a-z0-9][_-]k)ey[\"'\]]{0,2}[\t\x20]*(?::=|=>?|:)[\t\x20]*[\"'`]([0-9a-f]{32,128})[\"'`]
    """.split()
)
"""Forms whose group is a key in hexadecimal digits, unless the name is that of another key."""

CHOSEN: Final = tuple(
    rb"""
    :([^\s/@\"'`<>:,\(){}\[\]]+)@(?:(?:tcp|unix)\(|[a-z0-9-]+\.[a-z0-9]|localhost)
    /([^\s/@\"'`:<>]+)@//
    \b(?:sqlplus|sqlldr|expdp|impdp|rman\x20+target|thin:|oci8?:)[^\n/@]{0,40}/([^\s/@\"'`]+)@
    (?i:user[._-]?info|userpwd|user[._-]pass|credentials?|auth)[\"'\])]{0,2}[\t\x20]*(?:=>|[:=,])[\t\x20]*[\"']?[\w.@-]+:([^\s\"'`,;<>{}\(\)$/][^\s\"'`,;<>{}\(\)$]+)
    :\d{4,5}:[A-Za-z_*][\w-]*:[A-Za-z_][\w.-]*:([^\s\"'`<>:]+)(?:\s|$)
    \b(?:password|secret|key)\x20+[0-9]\x20+\"?([^\s\"'`<$]+)
    WIFI:[^\"'\n]{0,64}P:([^;\"'\n]+);
    """.split()
)
"""Forms whose group is a password, possibly chosen by a person."""

PATHS: Final = (
    rb"/(?:(?i:(?:web)?hooks?|in(?:coming)?|triggers?|tokens?|keys?|secrets?|services|ping|notify|invoke"
    rb"|auth|rpc|alerts?|push|private)|t|bot)/"
)
"""Parts of a URL's path after which a token can follow."""

COMMANDS: Final = (
    rb"\b(?:mysql[a-z]*|mariadb[a-z-]*|sshpass|htpasswd|redis-cli|mongo[a-z]*|ldap[a-z]+|cqlsh"
    rb"|(?:docker|podman|registry|az|oc|argocd|helm|vault|buildah|skopeo) login|smbclient|sqlcmd"
    rb"|openssl|keytool|rabbitmqctl|influx|winexe|xfreerdp|ipmitool|mosquitto_[a-z]+|psexec|plink|pscp"
    rb"|lftp|twine|nuget|7z[az]?|snowsql|bcp|osql|isql|bteq|cypher-shell|evil-winrm|crackmapexec"
    rb"|mcrcon|svn|impacket-[a-z]+|useradd|usermod|nmcli)"
    rb"[ \t\"',]"
)
"""Programs with an option for a password."""

OPTIONS: Final = (
    rb"[ \t\"'](?:-[pPawk](?:[ \t]|[\"'],[ \t]*[\"'])?|/p:|-pass(?:in|out)?[ \t]+(?:pass:)?"
    rb"|-[A-Za-z]*U[ \t]*[^\s%]+%)"
    rb"(?P<quote>[\"'])?(?P<value>(?(quote)[^\"'\n]{6,128}|[^\s\"']{6,128}))"
)
"""Options whose value is a password."""

CALLS: Final = (
    rb"(?:[Cc]onnect|[Cc]onnection|[Ll]ogin|[Ll]og[Oo]n|[Aa]uth|[Aa]uthenticat(?:e|ion)|[Cc]redentials?"
    rb"|[Ss]ign_?[Ii]n|jwt\.(?:(?:en|de)code|sign|verify)|PDO|[Uu]ser|[Pp]ool|[Cc]lient|[Bb]egin|[Bb]ind|AndPassword"
    rb"|Basic)(?:[ \t]*=[ \t]*)?\((?:[$&@]?[A-Za-z0-9_.]+,[ \t]*)?[\"']"
)
"""Functions whose arguments are names and passwords in turn, or a key."""

KEYS_ALONE: Final = (
    rb"(?:[Ii]nit(?:ialize)?|[Cc]onfigure|[Aa]uthori[sz]e|[Ss]etup|A(?:PI|pi)|SDK|[Ss]ession|[Ss]ervice|[Bb]ot)"
    rb"\((?:[$&@]?[A-Za-z0-9_.]+,[ \t]*)?[\"']([A-Za-z0-9]{20,})[\"']"
)
"""Functions whose argument is a key."""

BEFORE: Final = (
    rb"(?:(?:\bIDENTIFIED|(?:['\"`]|(?i:\buser)\s\w{1,32})\s(?i:identified))\s{1,8}(?i:BY)"
    rb"|ConvertTo-SecureString(?:[ \t]+-String)?)[ \t]{1,8}[\"']"
    rb"|\b(?:store|key)Password[ \t]*[=\(]?[ \t]*[\"']|\bsigning_salt[\"']?[ \t]*[:=][ \t]*[\"']"
    rb"|(?i:jwt)[A-Za-z]{0,16}[\"']?[ \t]*:[ \t]*\{[^{}]{0,240}"
    rb"[\"'](?:[A-Za-z]{0,10}Key|Secret)[\"'][ \t]*:[ \t]*[\"']"
)
"""Words directly before a password of any form."""

BELOW: Final = (
    rb"[\"']?(?:[ \t]{0,8}[,{>:]|</[A-Za-z]{1,16}>)?\s{0,40}"
    rb"(?:(?i:type|description|sensitive|nullable|noecho)[ \t]{0,8}[=:][^\n]{1,80}\n\s{0,20}){0,3}"
    rb"[<\"']?(?i:[a-z]{0,10}value|default|string)[\"']?[ \t]*(?:=>|[:=>,])[ \t]*"
)
"""Text between the name of a secret and its value in a record."""

WORDS: Final = (
    rb"pass(?:word|wd|phrase|code|wort)?|pwd?|psk|kennwort|senha|contrase(?:n|\xc3\xb1)a"
    rb"|mot[ _]?de[ _]?passe|masterauth|pepper|community"
    rb"|secret|token|credential|authorization"
    rb"|(?:api|access|auth|secret|private|signing|encryption|account|master|session|shared"
    rb"|subscription|consumer|license|storage|deploy|app|crypto?|hmac|jwt|cookie|logged[_-]?in"
    rb"|aes|des3?|rsa|enc|cipher|admin|service|server|webhook|write|root|vault|push|backend"
    rb"|nonce)[ _.-]?(?:key|salt)"
)
"""Words in names of variables for secrets; `SECURE_AUTH_KEY` ends in one."""

COLUMNS: Final = (
    rb"(?:(?:db|user|account|login|admin|smtp|ftp|wifi)[ _-]?)?(?:pass(?:word|wd|phrase|wort|code)?"
    rb"|pwd|pw|kennwort|senha|secret|token|(?:api|access|secret|private)[ _-]?key)s?"
)
"""Names of columns of secrets."""

TECHNICAL: Final = (
    rb"pass|pwd|secret|token|key(?!board)|sha-?[0-9]|md5|utf|aes|hmac|crypt|argon|oauth|base[0-9]|int[0-9]"
    rb"|bytes|string|float|char[0-9]|version|http|scram|uuid|field|param|arg[0-9]|input|column|local"
    rb"|rfc|ipv|x509|tls|ssl|3des|pkcs|pbkdf|basic|digest|label|value|name|form|text|page|temp|data"
    rb"|\\[unx]|0x"
)
"""Texts of words and digits that are not passwords."""

FOREIGN: Final = (
    rb"require|optional|prompt|missing|invalid|generat|default|random|somepass|strong|wordpress|postgres"
    rb"|rabbitmq|cassandra|clickhouse|keycloak|nextcloud|mongo|grafana|elastic|database|administrator"
    rb"|external|internal|disabled|enabled|provided|vaulted|encrypted|keyring|keychain|plaintext|cleartext"
    rb"|boolean|integer|unknown|nothing|secure|credential|authenti|environ|configur"
)
"""Beginnings of words that are not a password, but describe one, or name a product."""

SENTENCE: Final = (
    rb"the|an?|is|are|be|must|enter|at|for|of|to|and|or|please|password|passphrase|passwd|in|on|not"
    rb"|no|your?|my|it|if|with|new|old|user|length|least|min(?:imum)?|max(?:imum)?|char(?:acter)?s?"
    rb"|digits?|letters?|words?|can|has|have|was|will|from|by|this|that|correct horse|de|la|le|und"
    rb"|der|die|das|un|una|il|do|does|only|used?|set|get|type|required|invalid|wrong|reset|value|key"
)
"""Words that occur in sentences or titles, but not in passwords."""

PUBLIC_KEYS: Final = (
    rb"public|publishable|pub|verif(?:y|ier|ication)|anon|site|cache|primary|foreign|sort|partition|idempotency|object|host|s3"
    rb"|index|unique|row|map(?!box)|hot|fingerprint|registry|trans(?:lation)?|integrity|etag|digest|sha\d*"
)
"""Words before `key` for keys that are not secret."""

PUBLIC_WORDS: Final = (
    rb"(?:public|hash|sha\d*|md5|digest|checksum|fingerprint|example|dummy|fake|mock|sample"
    rb"|placeholder|csrf|xsrf|next|page|cursor|continuation|starting|request|action|lock|idempotency|cancel(?:lation)?|public.?key)[_.-]?$"
    rb"|(?:by|com|tres|sur|high|low|band|under|over|get|no)$"
)
"""Words directly before a word of WORDS that mark the value as public."""

TAIL_WORDS: Final = (
    rb"name|field|type|ur[il]|endpoint|path|file|dir|len|count|size|regex|pattern|format|header"
    rb"|policy|hash|class|label|prefix|suffix|expir|ttl|time|max|min|provider|kind|input|form"
    rb"|hint|ref|arn|env|var|placeholder|error|message|invalid|required|reset|confirm|text|title"
    rb"|mode|ids?$|i[sz]e|version|scope|algo|method|strategy|manager|service|param|attr|column"
    rb"|\w*guid$|page|link|icon|rule|limit|status|state|owner|desc|help|pub|alias|key.?ids?$|based|less"
)
"""Beginnings of words after WORDS that change the meaning: `token_endpoint`, `passwordField`."""

PUBLIC_BEFORE: Final = (
    rb"sha-?\d|md5|hash|digest|checksum|integrity|commit|\brev(?:ision)?\b|etag|uuid|guid|finger_?print"
    rb"|thumbprint|signature|\bsig\b|pub(?:lic)?[_-]?key|publishable|site_?key|cert|nonce|cursor"
    rb"|example|expect|want|vector|assert|equal|\btest|crc|font|image|icon|data:|encoded|decod|mangl"
    rb"|symbol|anon|measurement|analytics|search|client_?id|[_-]ids?[\"'\])]{0,2}[ \t]*[=:\(]"
    rb"|[a-z]I[Dd]s?[\"'\])]{0,2}[ \t]*[=:\(]|\bid[\"'\])]{0,2}[ \t]*[=:\(]|==|!="
)
"""Words before a literal that mark it as public."""

PUBLIC_STARTS: Final = (
    rb"sha\d+-|h1:|md5-|_[ZR]|\?|0[xXob]|M(?:I[IG]|FkwE|CowBQ)|AAAA|iVBOR|R0lGOD|/9j/|PHN2Z|d09[GP]|UEsDB|H4sI|JVBER"
    rb"|AGFzb|LS0t|PD94|PCFE|mQ[EI]N|pk[._]|G-|UA-|GTM-|ca-pub-|pub-|bafy|Qm[1-9A-HJ-NP-Za-km-z]{44}\Z"
)
"""Beginnings of public values: checksums, compiler names, certificates, images, archives."""

PLACEHOLDER: Final = (
    rb"change.?(?:me|this|it)|example|placeholder|dummy|sample|your|(?-i:xxx|XXX)|fake|mock|redact|insert"
    rb"|replace|test(?:ing|er|user)?(?:[^a-z]|pass|secret|token|key|$)|todo|fixme|foobar|lorem"
    rb"|not.?an?.?|undefined|\bnull\b|\bnone\b|\.\.\.|\*\*\*|deadbeef|0{8}|\\0"
    rb"|do(?:n'?t|[ _-]?not)[ _-]?(?:use|care|commit|copy)"
    rb"|(?:0?123456|abcdef|qwerty|hunter2|letmein|pass(?:wor)?d|passw0rd|(?:super.?)?secret|token"
    rb"|open.?sesame|admin|root|user|guest|welcome|foo|bar|baz|my.?(?:secret|pass(?:word)?|token|key))"
    rb"[\d!_-]{0,9}$"
)
"""Made-up values, or parts of made-up values."""

PLACEHOLDER_STARTS: Final = (
    b"$",
    b"<",
    b"{",
    b"%",
    b"#{",
    b"@",
    b"[",
    b"!",
    b"/",
    b"^",
    b"\\",
    b"&",
    b"./",
    b"../",
    b"~/",
)
SIGNS: Final = (b"!", b"@", b"&")
"""Signs that begin placeholders, but can also begin a password."""
PLACEHOLDER_PARTS: Final = (
    *(b"${", b"{{", b"$(", b"%(", b"<%", b"{}", b"{0}", b"://", b"()"),
    *(b"%s", b"%d", b"%u", b"%x", b"%0", b"%h", b"%*"),
)
"""Beginnings and parts of placeholders."""

KEY_HEADER: Final = (
    rb"----[- ]BEGIN (?:(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)[- ]----"
    rb"|Private-Lines: \d+"
)
"""The line before the body of a private key."""
