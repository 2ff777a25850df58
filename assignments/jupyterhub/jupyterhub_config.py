"""JupyterHub for a class of a hundred: each student in a container of their own, with memory and processor limited.

    pip install jupyterhub dockerspawner jupyterhub-idle-culler oauthenticator
    npm install --global configurable-http-proxy
    docker build --tag dimred-course --file assignments/jupyterhub/Dockerfile .
    jupyterhub --config assignments/jupyterhub/jupyterhub_config.py

A trial without containers, accounts or an open port, where any name and the password "trial" will do:

    COURSE_TRIAL=1 COURSE_STATE=$(mktemp -d) jupyterhub --config assignments/jupyterhub/jupyterhub_config.py

Where the limits come from is told in the teacher's guide.
"""

import os
import sys
from pathlib import Path

c = get_config()  # noqa: F821  JupyterHub defines it

TRIAL = os.environ.get("COURSE_TRIAL") == "1"
STATE = Path(os.environ.get("COURSE_STATE", "/srv/jupyterhub"))  # database, keys; back it up
TEACHERS = set(os.environ.get("COURSE_TEACHERS", "teacher").split(","))
DATA = "/srv/course/data"  # read by all, written by nobody
EXCHANGE = "/usr/local/share/nbgrader/exchange"  # where nbgrader looks: assignments out, submissions in

# --- One student: a chapter's kernel takes 400 to 950 MiB, the server around it 130; see the teacher's guide
c.Spawner.mem_limit = "2G"
c.Spawner.mem_guarantee = "600M"
c.Spawner.cpu_limit = 1.0
c.Spawner.cpu_guarantee = 0.05
c.Spawner.environment = {  # a container sees all cores of the machine: libraries would start as many threads
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
}
c.Spawner.default_url = "/lab/tree/book/intro.ipynb"
c.Spawner.start_timeout = 120

# --- A hundred students, all at once at the beginning of the hour
c.JupyterHub.concurrent_spawn_limit = 20
c.JupyterHub.active_server_limit = 120
c.JupyterHub.services = [
    {
        "name": "cull-idle",  # who has left gives the memory back after half an hour
        "command": [sys.executable, "-m", "jupyterhub_idle_culler", "--timeout=1800", "--max-age=43200"],
    }
]
c.JupyterHub.load_roles = [
    {
        "name": "cull-idle",
        "services": ["cull-idle"],
        "scopes": ["list:users", "read:users:activity", "read:servers", "delete:servers"],
    }
]

# --- Who may come in
c.Authenticator.admin_users = TEACHERS
c.JupyterHub.cookie_secret_file = str(STATE / "cookie_secret")
c.JupyterHub.db_url = f"sqlite:///{STATE / 'jupyterhub.sqlite'}"

if TRIAL:
    c.JupyterHub.bind_url = "http://127.0.0.1:8123"
    c.JupyterHub.hub_port = 8124
    c.ConfigurableHTTPProxy.api_url = "http://127.0.0.1:8125"
    c.JupyterHub.services = []  # the culler is installed with the real thing
    c.JupyterHub.load_roles = []
    c.JupyterHub.authenticator_class = "dummy"
    c.DummyAuthenticator.password = "trial"
    c.Authenticator.allow_all = True
    c.JupyterHub.spawner_class = "simple"  # processes of this user: limits are asked for, and not enforced
    c.Spawner.default_url = "/lab"
    c.Spawner.args = ["--allow-root"] if os.geteuid() == 0 else []
else:
    c.JupyterHub.bind_url = "http://127.0.0.1:8000"  # behind a web server that speaks TLS
    c.JupyterHub.authenticator_class = "generic-oauth"  # the university's login: its addresses and keys are set
    c.Authenticator.allow_existing_users = True  # by the environment, see oauthenticator; the class list comes
    c.Authenticator.allowed_users = set(Path(STATE / "class.txt").read_text(encoding="utf-8").split())  # from a file
    c.JupyterHub.hub_ip = "0.0.0.0"  # containers reach the hub on their network
    c.JupyterHub.spawner_class = "docker"
    c.DockerSpawner.image = "dimred-course"
    c.DockerSpawner.remove = True
    c.DockerSpawner.network_name = "dimred-course"
    c.DockerSpawner.notebook_dir = "/home/jovyan/course"
    c.DockerSpawner.volumes = {"student-{username}": "/home/jovyan", EXCHANGE: EXCHANGE}  # all else is lost
    c.DockerSpawner.read_only_volumes = {DATA: DATA}
    c.DockerSpawner.extra_host_config = {"pids_limit": 256, "security_opt": ["no-new-privileges"]}
