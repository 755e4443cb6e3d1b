"""Names of files that usually hold keys or passwords, and of others that look like them."""

NAMES_OF_SECRETS = """
.env .env.local .env.production .env.staging prod.env config/.env.development docker/app.env .envrc
secrets.yml secrets.yaml secrets.json secrets.toml secrets.prod.yaml secrets-production.yml
config/secrets.yml app-secrets.json k8s/secret.yaml db-secret.yml secrets.properties secrets.ini
secrets.env my_secrets.txt
credentials credentials.json credentials.yml credentials.csv credentials.xml aws-credentials.json
gcp-credentials.json google_credentials.json creds.json creds.txt prod-creds.yaml
credentials.yml.enc .cargo/credentials.toml .credentials.json
terraform.tfvars prod.tfvars prod.auto.tfvars terraform.tfvars.json terraform.tfstate
terraform.tfstate.backup .terraformrc
kubeconfig kubeconfig.yaml kubeconfig.yml prod.kubeconfig dev-kubeconfig.yaml .kube/config admin.conf
id_rsa id_rsa.txt id_rsa.bak id_dsa id_ecdsa id_ed25519 id_ed25519.old deploy_rsa
server.pem server.key ca.key tls/private.key cert.p12 cert.pfx release.jks debug.keystore
AuthKey_ABC123.p8 putty.ppk passwords.kdbx old.kdb client.ovpn secring.gpg signing.asc
private_key.txt private-key.json ssh-key.txt
.npmrc .pypirc .netrc _netrc .pgpass .my.cnf .htpasswd htpasswd .git-credentials .dockercfg
.dockerconfigjson .docker/config.json .vault-token .vault_pass.txt vault.yml group_vars/all/vault.yml
.s3cfg .boto rclone.conf .msmtprc sftp-config.json .gem/credentials
.config/gh/hosts.yml .config/sops/age/keys.txt .config/hub .config/gcloud/credentials.db
.config/gcloud/application_default_credentials.json .config/rclone/rclone.conf .config/doctl/config.yaml
.config/glab-cli/config.yml .aws/credentials .aws/config .ssh/config .ssh/id_rsa .gnupg/trustdb.gpg
.azure/accessTokens.json .m2/settings.xml settings-security.xml
client_secret_1234.apps.googleusercontent.com.json service-account.json service_account_prod.json
my-service-account.json firebase-adminsdk-x1.json
wp-config.php config.inc.php LocalSettings.php secret_token.rb config/master.key key.properties
keystore.properties passwords.txt password.txt db_password.txt passwd shadow token.txt access_token.txt
github_token.txt api_keys.json api-key.txt apikey.txt auth.json local.settings.json
recentservers.xml logins.json
"""
"""As a path below the root each."""

HARMLESS = """
secrets.py secret.go secrets.ts secret_test.rs secrets_manager.tf secrets.md SecretsController.java
tokens.scss tokens.css token.go token.rs tokenizer.json tokenizer_config.json tokens.json
design-tokens.json special_tokens_map.json tokenize.py
.env.example .env.sample .env.template .env.dist env.go environment.yml sample.env
credentials_provider.ts credentials.go credentials.py credentials.example.json
terraform.tfvars.example example.tfvars variables.tf outputs.tf
keyboard.key.md keyboard.json keymap.json keys.go primary_key.sql public_key.json id_rsa.pub
ssh_config.md kubeconfig.go kubeconfig_test.py
password.js password_reset.html forgot-password.json password-policy.md passwords_test.json
common-passwords.txt reset-password.yaml PasswordField.tsx
templates/secret.yaml external-secrets.yaml sealed-secret.yaml wp-config-sample.php
vault.go vault_client.py docker-compose.yml config.json hosts.yml settings.xml package.json
locales/en/auth.json oauth.ts authors.txt hash.c certificate.rs pem.go secret.schema.json
"""
"""As a path below the root each."""
