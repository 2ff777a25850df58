"""The configuration of the JupyterHub for a class can be read, and keeps what students write."""

from nbgrader.exchange.default import Exchange
from traitlets.config import Config

from sources import ROOT

HOME = "/home/jovyan"


def test_a_container_keeps_the_home_and_has_the_folder_in_which_nbgrader_looks(monkeypatch, tmp_path):
    (tmp_path / "class.txt").write_text("ada bob\n", encoding="utf-8")
    monkeypatch.setenv("COURSE_STATE", str(tmp_path))
    monkeypatch.delenv("COURSE_TRIAL", raising=False)
    config, path = Config(), ROOT / "assignments" / "jupyterhub" / "jupyterhub_config.py"
    exec(compile(path.read_text(encoding="utf-8"), path, "exec"), {"get_config": lambda: config})
    assert {HOME, Exchange().root} == set(config.DockerSpawner.volumes.values())
    assert config.Authenticator.allowed_users == {"ada", "bob"}
    image = (path.parent / "Dockerfile").read_text(encoding="utf-8")
    assert f"WORKDIR {HOME}/" in image and config.DockerSpawner.notebook_dir.startswith(f"{HOME}/")
