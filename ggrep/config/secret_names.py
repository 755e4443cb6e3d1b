"""Names of files that contain keys or passwords, and of folders in which programs store them.

All names are compared in lower case. No setting makes these files eligible.
"""

from typing import Final

from ggrep.config.builtin import globs, words

PRIVATE_DIRECTORIES: Final = words(
    ".1password .android .ansible .aws .azure .bitwarden .bluemix .chef .databricks"
    " .docker .electrum .ethereum .fly .gcloud .gem .gnupg .heroku .keyrings .kube .minikube"
    " .mozilla .netlify .oci .password-store .pki .pulumi .putty .railway .secrets .snowflake"
    " .sops .ssh .step .subversion .terraform.d .thunderbird .vault .vercel .wrangler keyrings"
    " .aliyun .bundle .circleci .cloudflared .dbeaver .envs .exoscale .ibmcloud .jupyter .kaggle"
    " .linode-cli .mc .ngrok .ngrok2 .pip .remmina .tccli .travis .vpn .wireguard"
    " .acme.sh .aptos .bazaar .bitcoin .brownie .creds .davfs2 .foundry .gradle .huggingface"
    " .jfrog .jira.d .keys .lftp .minio .monero .nats .ncftp .near .near-credentials .nuget .okta"
    " .pgadmin .purple .irssi .restic .s3ql .solana .storage .sui .teleport .tokens .tsh"
    " .wandb .weechat .hexchat .xchat2"
)
"""Private folders of programs: accounts, keys, sessions."""

SHARED_PARENT: Final = ".config"
"""The folder that contains private folders; files directly in it can be shared by a team."""

NAMES: Final = globs(
    """
    .env* *.env *.env.* env.local env.dev env.development env.prod env.production env.staging

    *.pem *.key *.keyfile *.p8 *.p12 *.pfx *.pkcs12 *.jks *.jceks *.bks *.keystore *.truststore
    *.ppk *.asc *.gpg *.pgp *.kdb *.kdbx *.psafe3 *.agilekeychain *.opvault *.1pux *.keychain
    *.keychain-db *.kwallet *.wallet wallet.dat *.ovpn *.rdp *.mobileprovision
    *.provisionprofile *.credentials *.secret *.secrets *.token *.vault
    *.cred *.creds *.bcfks *.pvk *.snk *.sso *.keytab *.rdg *.pcf *.remmina *.vnc *.nmconnection
    *.mobileconfig *.1pif *.eyaml *.htpasswd *.sec *.seed *.pkcs8 *.psk
    *.macaroon *.keys *.tdb *.sth *.passwd *.password *keyfile
    *.priv *.private *.pwd *.pw *.passphrase *.mnemonic *.skey *.mafile *.wpa_psk *.8021x *.bek
    *.fve *.nk *.jwk *.age *.lic *.cscfg *.apikey *.api_key *.api-key *.session *.pgpass *.netrc
    *.npmrc *key.der *keypair.json *jaas.conf *-users.properties

    id_rsa* id_dsa* id_ecdsa* id_ed25519* ssh_host_*_key *_host_key *_rsa *_ed25519 *_ecdsa *_dsa
    secring.* trustdb.gpg pubring.kbx otr.private_key

    .netrc _netrc netrc .authinfo authinfo .npmrc .pypirc .gemrc .pgpass pgpass.conf .my.cnf
    .mylogin.cnf .*_history fish_history consolehost_history.txt
    .htpasswd htpasswd .htdigest htdigest .dockercfg .dockerconfigjson .git-credentials .trc
    .vault-token .vault_pass* .vault-pass* vault_pass* vault-pass* .s3cfg .boto .passwd-s3fs
    .msmtprc .esmtprc .fetchmailrc .muttrc .ftpconfig .ftppass .remote-sync.json
    sftp-config.json sftp.json .rclone.conf rclone.conf .terraformrc terraform.rc .snowsql
    credentials.tfrc.json .smbcredentials smbcredentials .databrickscfg .sentryclirc .rhosts
    .dev.vars* .secrets .secret .secrets.* .secret.* .credentials .credentials.* .token .tokens
    .apikey .api_key .api-key .password .passwords shadow gshadow passwd master.passwd passwords
    credentials secrets token shadow- gshadow- passwd- opasswd smbpasswd sasl_passwd*
    passwd.client passwd.db krb5cc_* .erlang.cookie cookies.txt cookiejar *.cookies *-secrets
    .pg_service.conf .cqlshrc .edgerc .offlineimaprc .mbsyncrc .getmailrc .mailrc .condarc
    .civo.json .ovh.conf ovh.conf clouds.yaml secure.yaml .dropbox_uploader .tugboat
    .coveralls.yml rootkey.csv *accesskeys.csv kaggle.json wallet.json utc--*
    wg[0-9].conf wg-*.conf wpa_supplicant*.conf *unattend.xml sysprep.inf sysprep.xml
    ntds.dit logins-backup.json signons.sqlite
    .viminfo .lesshst .histfile .zhistory .dbshell .cvspass .p4tickets .arcrc .twurlrc .ovhrc
    .ccloudrc .isyncrc isyncrc msmtprc fetchmailrc monitrc .monitrc .wakatime.cfg keystonerc*
    authinfo2 passwd-s3fs .passwd-* .*_private .odbc.ini .google_authenticator google_authenticator
    sasldb2 passwd.dovecot .tokens.* .clasprc.json .runtimeconfig.json jfrog-cli.conf* users.acl
    token.pickle token.pkl cookies.pkl cookies.json *_cred.json acme.json authentication.conf
    registry-auth.json docker-auth.json skopeo-auth.json pgpass* debian.cnf tomcat-users.xml
    cloudflare.ini digitalocean.ini dnsimple.ini rfc2136.ini mobaxterm.ini putty*.reg winscp*.reg
    *data-sources.xml jenkins.plugins.publish_over*.xml bamboo.cfg.xml confluence.cfg.xml
    dbconfig.xml robomongo.json login?data ssmtp.conf snapcraft.login proftpdpasswd privkey*
    initialadminpassword hudson.util.secret firebase-admin*.json key.json wp-config.* .duo.conf
    pam_duo.conf jupyter_server_config.json jupyter_notebook_config.json parameters.y*ml vapid.json
    ngrok.y*ml p4tickets* perforce.tickets .curlrc _curlrc .wgetrc nodekey *sessions*.reg
    ventrilo_srv.ini azureauth.* *-sa.json serviceprincipal*.json
    service-principal*.json tokencache.dat servlist.conf *.enpassdb ?*.sops.y*ml
    ?*.sops.json

    kubeconfig kubeconfig.* *.kubeconfig *-kubeconfig *_kubeconfig *-kubeconfig.y*ml
    *_kubeconfig.y*ml kubeconfig-*.y*ml kubeconfig_*.y*ml admin.conf kubelet.conf
    super-admin.conf cluster-admin.conf kube.config talosconfig.y*ml
    controller-manager.conf scheduler.conf k3s.yaml kube_config*.y*ml kube-config*.y*ml
    talosconfig *.rkestate regcred.* dockerconfig.json docker-config.json

    *.tfvars *.tfvars.json *.tfstate *.tfstate.* *.tfplan *.pkrvars.hcl *.pkrvars.json

    client_secret*.json client-secret*.json service-account*.json service_account*.json
    serviceaccount*.json gcp-key*.json gcloud-*.json gha-creds-*.json
    firebase-adminsdk*.json *-firebase-adminsdk-*.json application_default_credentials.json
    adc.json accesstokens.json azureprofile.json msal_token_cache* *.publishsettings
    *.pubxml.user settings-security.xml local.settings.json appsettings.secrets.json

    wp-config.php wp-config-*.php wp-config.php.* localsettings.php config.inc.php
    settings.local.php secret_token.rb credentials.yml.enc keystore.properties
    signing.properties key.properties recentservers.xml sitemanager.xml filezilla.xml winscp.ini
    confcons.xml ultravnc.ini logins.json key3.db key4.db cookies.sqlite
    vault.y*ml *-vault.y*ml *_vault.y*ml vault.json tokens.txt
    """
)
"""Globs of names of secret files."""

PLACES: Final = globs(
    """
    /auth.json composer/auth.json codex/auth.json config/hub
    gh/hosts.y*ml hub/hub glab-cli/config.y*ml doctl/config.y*ml
    age/keys.txt docker/config.json kube/config aws/config rclone/*.conf cargo/credentials*
    m2/settings.xml ssh/config ngrok/ngrok.yml ngrok2/ngrok.yml stripe/config.toml
    configstore/*.json op/config wireguard/*.conf wireguard/*key cloudflared/*.json scw/config.y*ml
    filezilla/*.xml snowflake/*.toml solana/id.json mysql/debian.cnf
    freeradius/clients.conf raddb/clients.conf freeradius/users raddb/users dovecot/users
    openvpn/*.txt openvpn/login.conf openvpn/pass.conf vpn/*.txt pgbouncer/userlist.txt
    rancher/cli2.json certbot/*.ini acme.sh/account.conf repository/repositories.yaml
    containers/auth.json helm/repositories.yaml hcloud/cli.toml weechat/sec.conf lftp/bookmarks
    aerc/accounts.conf toot/config.json wandb/settings deluge/auth elasticsearch/users
    rabbitmq/definitions.json octoprint/users.yaml transmission/settings.json anydesk/*.conf
    rustdesk/*.toml keypairs/*.json groups/groups.xml geth/nodekey
    """
)
"""Globs of a folder's and a file's name; the folder may have a leading dot.

The folder of a file in the root is empty.
"""

FOLDERS: Final = words(
    "secrets .secrets credentials .credentials creds passwords private-keys private_keys ssh-keys"
    " ssh_keys api-keys api_keys"
)
"""Folders whose names show that their data files contain secrets."""

PROGRAMS: Final = globs(
    """
    .py .pyi .go .rs .js .mjs .cjs .jsx .ts .tsx .java .kt .rb .php .c .h .cc .cpp .hpp .cs .swift
    .scala .sh .ex .exs .md .mdx .rst .adoc .html .css .scss .less .vue .svelte .proto
    """
)
"""Endings of programs and pages, for which other words of the name do not count."""

PROGRAMS_OF_VALUES: Final = words(
    "wp-config.php config.inc.php localsettings.php settings.local.php secret_token.rb"
    " .env.php .env.local.php .env.js .env.sh secrets.swift secrets.hpp secrets.exs secret.exs"
    " arduino_secrets.h secrets.h .mongorc.js local_settings.py settings_local.py"
)
"""Names of programs that usually contain passwords."""

OWN: Final = words(
    "local prod production staging stage dev development live private my our wifi wlan home device"
    " db env config conf settings vars values esp esp32 arduino iot mqtt ota"
)
"""Words in a program's name that, with one of OWN_NOUNS, indicate its user's secrets."""

OWN_NOUNS: Final = words("secrets secret credentials creds passwords password apikeys")

OWNERS: Final = words(
    "my our team shared company office personal private family home wifi wlan server servers router"
    " bank prod production staging internal hosting"
)
"""Words in a page's name that, together with one of OWNED, indicate noted secrets."""

OWNED: Final = words("passwords logins creds credentials pins passwörter passwoerter")

NOTES: Final = words("note notes private personal memo memos journal")
"""Folders in which a word of OWNED alone indicates noted secrets."""

PAGES: Final = globs(".md .mdx .rst .adoc .html .org")

ENDINGS_OF_VALUES: Final = (".decrypt.private.php", ".secret.exs", "openrc.sh")
"""Endings of programs that contain secrets."""

MARKS: Final = words(
    "example examples sample samples template templates tmpl tpl skel skeleton dummy fake"
    " mock schema default defaults stub placeholder public pub"
)
"""Words in names of files with made-up or public content."""

LAST_MARK: Final = "dist"
"""A word like MARKS if it is the last word; before other words, it is a distribution of Apple's."""

COPIES: Final = globs(".bak .old .orig .save .backup .copy .enc .txt .swp .rpmsave .dpkg-old ~")
"""Endings of copies; the name before the ending is the original's name."""

NOUNS: Final = words(
    "secret secrets credential credentials creds password passwords passwd passphrase apikey"
    " apikeys keystore secretkey privatekey accesskey accesstoken authtoken htpasswd mnemonic"
    " keyfile deploykey sshkey masterkey privkey passfile passwordfile pwfile userpass"
    " dbpass dbpw passwort passwörter passwoerter kennwort kennwörter zugangsdaten senha senhas"
    " contraseña contraseñas contrasena contrasenas motdepasse motsdepasse wachtwoord"
    " wachtwoorden"
)
"""Words at the end of a data file's name that show that it contains secrets."""

NOUN_ENDINGS: Final = (
    *("password", "passwords", "passwd", "passphrase", "secret", "secrets"),
    *("credential", "credentials", "creds", "apikey", "apikeys"),
)
"""Ends of compound words that show that a data file contains secrets: `pullsecret`."""

PAIRS: Final = words(
    "api-key api-keys api-token api-tokens access-key access-keys access-token access-tokens"
    " auth-token auth-tokens private-key private-keys secret-key secret-keys master-key"
    " encryption-key signing-key deploy-key ssh-key ssh-keys ssl-key host-key service-account"
    " service-accounts client-secret client-secrets bot-token github-token gitlab-token"
    " slack-token npm-token refresh-token bearer-token session-key license-key key-pair"
    " recovery-codes backup-codes connection-string connection-strings"
    " recovery-key recovery-keys recovery-phrase seed-phrase seed-words wallet-seed root-key"
    " unseal-key unseal-keys vault-key vault-keys vault-init root-token key-file pass-file"
    " totp-seed totp-seeds otp-seeds password-file passwd-file admin-key service-key"
    " oauth-token oauth-tokens api-secret api-secrets app-secret app-secrets join-token"
    " vapid-keys age-keys vpn-login user-pass token-file basic-auth"
    " key-base init-keys"
)
"""Pairs of words at the end of a data file's name that show that it contains secrets."""

ALONE: Final = words("token logins")
"""Whole stems of data files' names that show that the files contain secrets."""

ALONE_IN_TEXT: Final = words(
    "key keys pass psk pw pwd pin pins auth login logins otp seed wifi unseal bearer cookie"
)
"""Whole stems of text files' names that show that the files contain secrets."""

MANUALS: Final = words("doc docs documentation manual man help guide guides topics wordlists")
"""Folders below which a word like `password` is the topic of a text."""

TEXT_EXTENSIONS: Final = words("txt text b64 base64")
"""Endings of text files."""

SINGLES: Final = words("key token pass psk")
"""Last words of names of secret files, if the file can consist of a single value."""

SINGLE_EXTENSIONS: Final = words("txt text b64 base64 dat json")
"""Endings of files that can consist of a single value; files without an ending also can."""

HARMLESS_SINGLES: Final = words(
    "primary foreign sort cache answer hot map partition row index unique arrow shortcut home any"
    " translation csrf xsrf eos bos pad unk mask cls sep design next page cancellation lex css"
    " press turn of the by render shader compute first second two multi boarding"
)
"""Words with which a following word of SINGLES does not mean a secret."""

VAULTS: Final = words(
    "bitwarden vaultwarden lastpass 1password onepassword keepass keepassxc dashlane nordpass"
    " enpass roboform keeper protonpass authy aegis andotp chrome firefox edge brave safari icloud"
)
"""Programs that store passwords."""

VAULT_CONTENTS: Final = words("export exported backup passwords logins vault items csv")
"""Words in the name, or the ending, of files that a program of VAULTS exported."""

TRANSLATIONS: Final = words("locales locale i18n l10n lang langs translations")
"""Folders below which a file's name is the topic of its translated texts."""

HARMLESS_BEFORE: Final = words(
    "forgot forgotten reset change changed update new strong weak common top bad leaked breached"
    " test tests rockyou external sealed devise no invalid wrong max min lost"
)
"""Words before a word of NOUNS that show that the file is a page, a list or a test."""

VERBS: Final = words(
    "get set generate gen create rotate check show print make fetch read decrypt encrypt hash"
    " verify validate reset change update"
)
"""First words of names of programs."""

SURROUNDINGS: Final = words(
    "prod production dev devel development stage staging test testing qa uat ci local live env"
    " default enc dec encrypted decrypted sops vault app my db database admin root user users"
    " backup bak old us eu k8s kube kubernetes docker aws gcp azure gpg age all common global"
    " copy final export exported dump output private shared personal home work team internal live"
    " prd stg preprod sandbox v1 v2 v3 latest west east north south central ap main"
)
"""Words after a word of NOUNS that name an environment: `secrets.prod.yaml`."""

DATA_EXTENSIONS: Final = words(
    "yml yaml json json5 jsonc toml ini cfg conf cnf config properties env txt text csv tsv xml"
    " hcl plist db sqlite sqlite3 dat list lst enc bak backup old save orig b64 base64 dec pass"
    " rtf doc docx odt xls xlsx ods zip tar gz tgz 7z xcconfig sls bin rc pkl org log"
)
"""Endings of files that contain values, not programs."""

FIRSTS: Final = words("secrets credentials creds passwords")
"""First words that indicate secrets, with any second word: `secrets.alice.yaml`."""

FIRST_EXTENSIONS: Final = words("yml yaml json toml ini env properties cfg conf enc")
"""Endings of files whose first word is in FIRSTS."""

HARMLESS_BEHIND: Final = words(
    "manager scanner scanning scan policy policies provider providers report reports baseline test"
    " tests rules crd crds rbac role operator store reader writer csi external detection detect"
    " audit reset page form spec api controller handler webhook deployment service workflow lint"
    " check leak leaks engine plugin driver resource resources module types type names list dialog"
    " options strings messages translation injector sync rotation rotate validation"
    " storage helper process view request response not found error"
)
"""Second words that show that a file does not contain secrets, but is about secrets."""
