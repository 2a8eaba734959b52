"""Secrets drawn in the shapes of their issuers, and in the forms in which people write them.

They are drawn when a test runs, so that no scanner takes this file for a leak and no rule fits only one example.
"""

from __future__ import annotations

import base64
import json
from random import Random
from string import ascii_letters, ascii_lowercase, ascii_uppercase, digits

ALNUM = ascii_letters + digits
URLSAFE = ALNUM + "_-"
HEX = "0123456789abcdef"


def text(random: Random, alphabet: str, length: int) -> str:
    """Draw a text; never one without a digit or a letter, which no issuer hands out at these lengths."""
    while True:
        drawn = "".join(random.choice(alphabet) for _ in range(length))
        if any(letter.isdigit() for letter in drawn) and any(letter.isalpha() for letter in drawn):
            return drawn


def b64(random: Random, size: int) -> str:
    """Draw bytes and spell them in base 64."""
    return base64.b64encode(random.randbytes(size)).decode()


def json_token(random: Random) -> str:
    """Draw a JSON web token."""
    parts = [{"alg": "HS256", "typ": "JWT"}, {"sub": text(random, ALNUM, 12), "exp": random.randrange(10**9)}]
    spelled = [base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=") for part in parts]
    return ".".join([*spelled, text(random, URLSAFE, 43)])


def discord(random: Random) -> str:
    """Draw a bot token: the id of the bot in base 64, a time, a signature."""
    bot = base64.b64encode(str(random.randrange(10**17, 10**18)).encode()).decode().rstrip("=")
    return f"{bot}.{text(random, URLSAFE, 6)}.{text(random, ALNUM, 38)}"


def pem(random: Random, kind: str) -> str:
    """Draw what looks like a private key file."""
    body = "\n".join(b64(random, 48) for _ in range(4))
    return "-----BEGIN " + f"{kind}PRIVATE KEY-----\n{body}\n-----END {kind}PRIVATE KEY-----"


def issued(random: Random) -> dict[str, str]:
    """Draw one secret of every issuer that is known by its shape alone."""
    r = random
    return {
        "github classic": "gh" + "p_" + text(r, ALNUM, 36),
        "github oauth": "gh" + "o_" + text(r, ALNUM, 36),
        "github app": "gh" + "s_" + text(r, ALNUM, 36),
        "github refresh": "gh" + "r_" + text(r, ALNUM, 76),
        "github fine": "github" + "_pat_" + text(r, ALNUM, 22) + "_" + text(r, ALNUM, 59),
        "gitlab": "gl" + "pat-" + text(r, ALNUM, 20),
        "gitlab routable": "gl" + "pat-" + text(r, URLSAFE, 27) + ".01." + text(r, ascii_lowercase + digits, 9),
        "gitlab runner": "gl" + "rt-" + text(r, ALNUM, 20),
        "gitlab deploy": "gl" + "dt-" + text(r, ALNUM, 20),
        "gitlab job": "gl" + "cbt-64_" + text(r, ALNUM, 20),
        "hugging face": "hf" + "_" + text(r, ALNUM, 34),
        "hugging face letters": "hf" + "_" + "".join(r.choice(ascii_letters) for _ in range(34)),
        "openai": "sk" + "-" + text(r, ALNUM, 20) + "T3BlbkFJ" + text(r, ALNUM, 20),
        "openai project": "sk" + "-proj-" + text(r, ALNUM, 74) + "T3BlbkFJ" + text(r, ALNUM, 74),
        "openai service": "sk" + "-svcacct-" + text(r, ALNUM, 60),
        "anthropic": "sk" + "-ant-api03-" + text(r, ALNUM, 93) + "AA",
        "anthropic admin": "sk" + "-ant-admin01-" + text(r, ALNUM, 93) + "AA",
        "openrouter": "sk" + "-or-v1-" + text(r, HEX, 64),
        "langfuse": "sk" + "-lf-" + text(r, HEX, 8) + "-" + text(r, HEX, 24),
        "aws id": "AKIA" + text(r, ascii_uppercase + "234567", 16),
        "aws session id": "ASIA" + text(r, ascii_uppercase + "234567", 16),
        "aws bedrock": "ABSK" + b64(r, 90),
        "google api": "AI" + "za" + text(r, URLSAFE, 35),
        "google oauth": "ya29" + "." + text(r, URLSAFE, 60),
        "google client": "GOC" + "SPX-" + text(r, ALNUM, 28),
        "azure entra": text(r, ALNUM, 3) + "8Q" + "~" + text(r, ALNUM, 34),
        "azure devops": text(r, ALNUM, 76) + "AZ" + "DO" + text(r, ALNUM, 4),
        "azure storage": b64(r, 57) + "+A" + "St" + text(r, ALNUM, 6) + "==",
        "slack bot": "xox" + "b-" + str(r.randrange(10**11, 10**12)) + "-" + text(r, ALNUM, 24),
        "slack user": "xox" + "p-" + str(r.randrange(10**11, 10**12)) + "-" + text(r, ALNUM, 24),
        "slack app": "xa" + "pp-1-A" + text(r, ascii_uppercase + digits, 10) + "-" + text(r, HEX, 64),
        "discord": discord(r),
        "telegram": str(r.randrange(10**9, 10**10)) + ":" + "AA" + text(r, ALNUM, 33),
        "stripe live": "sk" + "_live_" + text(r, ALNUM, 24),
        "stripe restricted": "rk" + "_live_" + text(r, ALNUM, 24),
        "stripe webhook": "whsec" + "_" + text(r, ALNUM, 32),
        "twilio": "S" + "K" + text(r, HEX, 32),
        "sendgrid": "S" + "G." + text(r, ALNUM, 22) + "." + text(r, ALNUM, 43),
        "mailchimp": text(r, HEX, 32) + "-us" + "12",
        "npm": "np" + "m_" + text(r, ALNUM, 36),
        "pypi": "py" + "pi-AgEIcHlwaS5vcmc" + text(r, URLSAFE, 70) + "a1B2c3D4e5F6g7H8i9",
        "rubygems": "ruby" + "gems_" + text(r, HEX, 48),
        "docker": "dckr" + "_pat_" + text(r, ALNUM, 27),
        "jwt": json_token(r),
        "pem rsa": pem(r, "RSA "),
        "pem openssh": pem(r, "OPENSSH "),
        "pem plain": pem(r, ""),
        "age": "AGE-SECRET-" + "KEY-1" + text(r, ascii_uppercase + digits, 58),
        "databricks": "da" + "pi" + text(r, HEX, 32),
        "doppler": "dp." + "pt." + text(r, ALNUM, 43),
        "vault": "hv" + "s." + text(r, ALNUM, 90),
        "replicate": "r8" + "_" + text(r, ALNUM, 37),
        "groq": "gs" + "k_" + text(r, ALNUM, 52),
        "nvidia": "nv" + "api-" + text(r, ALNUM, 64),
        "perplexity": "pp" + "lx-" + text(r, ALNUM, 48),
        "xai": "xa" + "i-" + text(r, ALNUM, 80),
        "langsmith": "ls" + "v2_pt_" + text(r, HEX, 32) + "_" + text(r, HEX, 10),
        "pinecone": "pc" + "sk_" + text(r, ALNUM, 60),
        "kaggle": "KG" + "AT_" + text(r, HEX, 32),
        "wandb": "wandb" + "_v1_" + text(r, ALNUM, 60),
        "digital ocean": "do" + "p_v1_" + text(r, HEX, 64),
        "shopify": "shp" + "at_" + text(r, HEX, 32),
        "linear": "lin" + "_api_" + text(r, ALNUM, 40),
        "notion": "nt" + "n_" + text(r, ALNUM, 46),
        "atlassian": "AT" + "ATT3" + text(r, ALNUM, 180),
        "airtable": "pa" + "t" + text(r, ALNUM, 14) + "." + text(r, HEX, 64),
        "grafana": "gl" + "sa_" + text(r, ALNUM, 32) + "_" + text(r, HEX, 8),
        "new relic": "NR" + "AK-" + text(r, ascii_uppercase + digits, 27),
        "sentry": "sn" + "trys_" + text(r, ALNUM, 80),
        "postman": "PM" + "AK-" + text(r, HEX, 24) + "-" + text(r, HEX, 34),
        "terraform": text(r, ALNUM, 14) + ".atlas" + "v1." + text(r, ALNUM, 67),
        "pulumi": "pu" + "l-" + text(r, HEX, 40),
        "figma": "fi" + "gd_" + text(r, ALNUM, 40),
        "supabase": "sb" + "p_" + text(r, HEX, 40),
        "heroku": "HR" + "KU-" + text(r, ALNUM, 60),
        "tailscale": "ts" + "key-auth-" + text(r, ALNUM, 12) + "-" + text(r, ALNUM, 24),
        "square": "sq0" + "csp-" + text(r, ALNUM, 43),
        "prefect": "pn" + "u_" + text(r, ALNUM, 36),
        "artifactory": "AK" + "C" + text(r, ALNUM, 68),
        "alibaba": "LT" + "AI" + text(r, ALNUM, 20),
        "eleven labs": "s" + "k_" + text(r, HEX, 48),
    }


def written(random: Random) -> list[tuple[str, str]]:
    """Draw texts in which a secret stands because of how it is written: (text, the secret in it)."""
    r = random
    word, hexed, b = (lambda: text(r, ALNUM, 24)), (lambda: text(r, HEX, 40)), (lambda: b64(r, 33))
    forms: list[tuple[str, str]] = [
        ("https://user:{}@host/x", word()),
        ("http://:{}@host", word()),
        ("https://{}@github.com/o/r.git", word()),
        ("postgresql://me:{}@db.example.org:5432/x", word()),
        ("postgresql+psycopg://me:{}@db/x?sslmode=require", "p%40ss" + word()),
        ("mysql://root:{}@127.0.0.1/x", "sl/ash#" + word()),
        ("redis://:{}@cache:6379/0", word()),
        ("rediss://default:{}@cache:6379", word()),
        ("mongodb+srv://me:{}@cluster0.mongodb.net/?w=majority", word()),
        ("amqp://guest:{}@rabbit:5672/%2f", word()),
        ("s3://AKIDEXAMPLE:{}@bucket/key", b().replace("/", "x").replace("+", "y")),
        ("ftp://anonymous:{}@host/file", word()),
        ("socks5h://me:{}@proxy:1080", word()),
        ("url=https%3A%2F%2Fme%3A{}%40host%2Fx", word()),
        ("https://h/x?access_token={}&y=1", word()),
        ("https://h/x?y=1&api_key={}", word()),
        ("https://h/x?apikey={}#top", word()),
        ("https://h/x?y=1&amp;token={}", word()),
        ("https://b.s3.amazonaws.com/k?X-Amz-Expires=60&X-Amz-Signature={}", text(r, HEX, 64)),
        ("https://b.s3.amazonaws.com/k?X-Amz-Credential={}%2F20260101", "AKID" + word()),
        ("https://b.s3.amazonaws.com/k?X-Amz-Security-Token={}&x=1", word()),
        ("https://b.s3.amazonaws.com/k?AWSAccessKeyId=x&Signature={}&Expires=1", b().replace("+", "%2B")),
        ("https://storage.googleapis.com/b/o?X-Goog-Signature={}", text(r, HEX, 64)),
        ("https://a.blob.core.windows.net/c/b?sv=2024-01-01&se=x&sig={}", b().replace("+", "%2B").replace("=", "%3D")),
        ("https://f.azurewebsites.net/api/x?code={}", word()),
        ("redirect=https%3A%2F%2Fh%2F%3Ftoken%3D{}%26x%3D1", word()),
        ("https://hooks.slack.com/services/T00000000/B00000000/{}", word()),
        ("https://discord.com/api/webhooks/123456789012345678/{}", word()),
        ("https://contoso.webhook.office.com/webhookb2/{}", word()),
        ("DefaultEndpointsProtocol=https;AccountName=x;AccountKey={};EndpointSuffix=core.windows.net", b64(r, 64)),
        ("Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={}", b64(r, 32)),
        ("Server=tcp:x;Database=d;User ID=me;Password={};Encrypt=True", word()),
        ("password={}", word()),
        ("PASSWORD={}\nNEXT=1", word()),
        ("export HF_TOKEN='{}'", word()),
        ('export WANDB_API_KEY="{}"', hexed()),
        ("AWS_SECRET_ACCESS_KEY={}", b64(r, 30)),
        ("aws_secret_access_key = {}", b64(r, 30)),
        ("aws_session_token={}", b64(r, 60)),
        ('{{"username": "me", "key": "{}"}}', text(r, HEX, 32)),
        ('wandb.login(key="{}")', hexed()),
        ('os.environ["COHERE_API_KEY"] = "{}"', text(r, ALNUM, 40)),
        ('client = Client(api_key="{}", timeout=3)', word()),
        ("client = Client(token='{}')", word()),
        ('{{"api_key": "{}", "x": 1}}', word()),
        ('{{\\"api_key\\": \\"{}\\"}}', word()),
        ("{{'db': {{'password': '{}'}}}}", "two words " + word()),
        ('password = "{}"', "correct horse, battery " + word()),
        ("apiKey: {}", word()),
        ("clientSecret: '{}'", word()),
        ("db-password: {}", word()),
        ("token => '{}'", word()),
        ('secret := "{}"', word()),
        ('if password == "{}":', word()),
        ("train.py --api-key {} --lr 3", word()),
        ("train.py --api-key={} --lr 3", word()),
        ("train.py --hf-token '{}' --lr 3", word()),
        ("curl -u me:{} https://h", word()),
        ("curl --user me:{} https://h", word()),
        ("curl -H 'Authorization: Bearer {}' https://h", word()),
        ("Authorization: Basic {}", base64.b64encode(b"me:" + word().encode()).decode()),
        ("Authorization: {}", word()),
        ("authorization=Token {}", word()),
        ("X-Api-Key: {}", word()),
        ("X-Auth-Token: {}", word()),
        ("Cookie: sessionid={}; theme=dark", word()),
        ("Set-Cookie: sid={}; HttpOnly", word()),
        ("machine api.wandb.ai login user password {}", hexed()),
        ("//registry.npmjs.org/:_authToken={}", word()),
        ("<password>{}</password>", word()),
        ("my_key: {}", word()),
        ("session = '{}'", word()),
        ("sig={}", text(r, HEX, 64)),
        ("ConnectionError: Bearer {} was refused", word()),
        ("dsn=https://{}@o1.ingest.sentry.io/2", text(r, HEX, 32)),
        ("TWILIO_AUTH_TOKEN={}", text(r, HEX, 32)),
        ("passphrase: {}", word()),
    ]
    return [(form.format(secret), secret) for form, secret in forms]
