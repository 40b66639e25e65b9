"""Starts a server with a campaign and runs schemathesis against its API, on SQLite and then on PostgreSQL."""

import contextlib
import glob
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request

SERVER, SCHEMATHESIS, EXAMPLES, POSTGRES_EXAMPLES = sys.argv[1:5]
FOOD = ["cheese", "brie", "gouda", "fruit", "apple", "pear", "vegetable", "onion"]
# A schema cannot say everything, for example that a name must be unique, so a valid body may be refused with 400.
LEFT_OUT = "positive_data_acceptance"


# Starts a PostgreSQL in a folder of its own, prints the folder, and stops it when the input ends.
POSTGRES = """
set -eu
folder=$(mktemp -d "${TMPDIR:-/tmp}/grove-postgres-XXXXXX")
trap 'pg_ctl -D "$folder/data" stop -m immediate -s >/dev/null 2>&1 || true; rm -rf "$folder"' EXIT
cd "$folder"
initdb -D "$folder/data" -U grove -A trust -E UTF8 --no-sync >initdb.log 2>&1
pg_ctl -D "$folder/data" -l "$folder/log" -o "-k $folder -c listen_addresses=" start -w >start.log 2>&1
echo "$folder"
read -r _ || true
"""


@contextlib.contextmanager
def postgres():
    """Runs a PostgreSQL server; yields the URL of a database, or nothing where PostgreSQL is missing and not required."""
    pg_ctl = next(reversed(sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_ctl"))), shutil.which("pg_ctl"))
    if pg_ctl is None:
        assert os.environ.get("GROVE_TEST_POSTGRES") != "required", "PostgreSQL is missing: run `make services`"
        print("skipped: PostgreSQL was not found")
        yield None
        return
    # PostgreSQL refuses to run as root.
    user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
    path = {**os.environ, "PATH": f"{os.path.dirname(pg_ctl)}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8"}
    command = [*user, "sh", "-c", POSTGRES]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=path) as server:
        folder = server.stdout.readline().strip()
        assert folder, "PostgreSQL did not start"
        yield f"postgres://grove@localhost/postgres?host={folder}"
        server.stdin.close()


class NoRedirect(urllib.request.HTTPRedirectHandler):
    """Returns redirects instead of following them."""

    def redirect_request(self, *_):
        return None


def send(url, method="GET", body=None, headers=None):
    """Returns the status, headers and text of a response."""
    request = urllib.request.Request(url, data=body, method=method, headers=headers or {})
    try:
        with urllib.request.build_opener(NoRedirect).open(request, timeout=30) as answer:
            return answer.status, answer.headers, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.headers, refused.read().decode()


def first_owner(setup):
    """Creates the first account with the link that the server printed, and a token."""
    origin = "{0.scheme}://{0.netloc}".format(urllib.parse.urlparse(setup))
    form = {"origin": origin, "content-type": "application/x-www-form-urlencoded"}
    _, headers, _ = send(setup, "POST", b"name=ada&password=correct+horse+battery", form)
    session = headers["set-cookie"].split(";")[0]
    # The page that shows the token is another one, so that reloading it makes no second token.
    _, headers, _ = send(f"{origin}/account/tokens", "POST", b"label=check", {**form, "cookie": session})
    cookies = [session, *(cookie.split(";")[0] for cookie in headers.get_all("set-cookie") or [])]
    _, _, page = send(urllib.parse.urljoin(origin, headers["location"]), headers={"cookie": "; ".join(cookies)})
    return origin, re.search(r'class="secret">([^<]+)<', page).group(1)


def campaign(api, token):
    """Creates a campaign with some votes, and an invitation to it."""

    def post(path, body):
        headers = {"authorization": f"Bearer {token}", "content-type": "application/json"}
        status, _, text = send(api + path, "POST", json.dumps(body).encode(), headers)
        assert status in (200, 201), (path, status, text)
        return json.loads(text)

    concepts = [{"name": name} for name in FOOD]
    made = post("/campaigns", {"name": "food", "settings": {"root": "food"}, "concepts": concepts})["id"]
    votes = "worker,upper,lower,answer\nann,cheese,brie,yes\nbob,cheese,brie,yes\nann,fruit,apple,yes\n"
    post(f"/campaigns/{made}/votes/import", {"name": "votes.csv", "text": votes})
    return made, post(f"/campaigns/{made}/invitations", {"label": "check"})["invitation"]


def with_known_names(document, known):
    """Limits path parameters to existing values, so that requests get further than 404."""
    for item in document["paths"].values():
        for operation in item.values():
            for parameter in operation.get("parameters", []):
                if parameter["in"] == "path" and parameter["name"] in known:
                    parameter["schema"] = {"enum": known[parameter["name"]]}
    return document


def refused(document):
    """Leaves only refusals in the document, so that every other answer to a stranger counts as undocumented."""
    document = json.loads(json.dumps(document))
    for item in document["paths"].values():
        for operation in item.values():
            operation.pop("security")
            answers = operation["responses"]
            operation["responses"] = {status: answers[status] for status in answers if status in ("401", "403")}
    return document


def check(folder, origin, document, options, examples):
    """Runs schemathesis; returns whether it found nothing."""
    file = os.path.join(folder, "openapi.json")
    with open(file, "w") as out:
        json.dump(document, out)
    command = [SCHEMATHESIS, "run", file, "--url", origin, "--max-examples", examples, "--seed", "1"]
    command += ["--exclude-checks", LEFT_OUT, "--request-timeout", "20", "--no-color", *options]
    return subprocess.run(command, cwd=folder).returncode == 0


def check_all(database, examples):
    """Checks a server on a new database as a stranger, an owner and a worker; returns whether nothing was found."""
    with tempfile.TemporaryDirectory(prefix="grove-api-") as folder:
        command = [SERVER, database or f"{folder}/grove.db", "127.0.0.1:0"]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            lines = (line.strip() for line in server.stdout)
            origin, token = first_owner(next(line for line in lines if "/setup/" in line))
            made, invitation = campaign(f"{origin}/api/v1", token)
            served = json.loads(send(f"{origin}/api/v1/openapi.json")[2])
            numbers = list(range(1, len(FOOD) + 1))
            known = {"campaign": [made], "concept": numbers, "worker": ["ann", "bob"]}
            owner = ["--header", f"Authorization: Bearer {token}"]
            worker = ["--header", f"Authorization: Bearer {invitation}", "--header", f"Grove-Worker: {'w' * 32}"]
            # An event stream does not end, and the campaign must outlive the run.
            lasting = ["--exclude-path-regex", "/events$|^/api/v1/work/", "--exclude-operation-id", "campaigns_delete"]

            def run(document, options):
                return check(folder, origin, document, options, examples)

            stranger = refused(with_known_names(served, known))
            good = [
                run(stranger, []),
                run(with_known_names(served, known), owner + lasting),
                run(served, worker + ["--include-path-regex", "^/api/v1/work/"]),
                run(served, owner + ["--include-operation-id", "campaigns_delete"]),
            ]
            # The control: who is no stranger is not refused, and that is noticed.
            noticed = not run(stranger, owner + ["--include-path-regex", "^/api/v1/me$"])
            assert noticed, "an answer to an owner passes for a refusal"
            assert send(f"{origin}/healthz")[0] == 200, "the server is unhealthy"
        finally:
            server.terminate()
            ended = server.wait(20)
        assert ended == 0, f"the server ended with {ended}"
        return all(good)


def main():
    good = check_all(None, EXAMPLES)
    with postgres() as database:
        good = (database is None or check_all(database, POSTGRES_EXAMPLES)) and good
    sys.exit(0 if good else 1)


main()
