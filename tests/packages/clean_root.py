"""A root directory that has nothing but named Debian packages and what they depend on.

The files are copied from this machine, where the packages must be installed, so that no network is needed; dpkg of the
root knows them as installed. Commands run in it as root of a user namespace.
"""

import os
import pathlib
import re
import subprocess

NEEDED_LINKS = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # of a merged /usr
LEFT_OUT = re.compile(r"/usr/share/(doc|man|locale|info|i18n|lintian)/.")
ENTER = 'mount --rbind /proc "$0/proc" && mount --rbind /dev "$0/dev" && exec chroot "$0" "$@"'
COPY = 'tar -C / --no-recursion -cf - -T - | tar -C "$0" --keep-directory-symlink -xf -'
DPKG = pathlib.Path("/var/lib/dpkg")


def is_possible():
    """Whether a user may have such a root here."""
    enter = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", "mount --rbind /proc /proc && chroot / true"]
    return DPKG.exists() and subprocess.run(enter, stderr=subprocess.DEVNULL).returncode == 0


def alternatives(field):
    """The dependencies of a control field, each as the list of names that fulfil it."""
    for dependency in filter(None, (part.strip() for part in field.split(","))):
        yield [re.split(r"[ :(]", name.strip())[0] for name in dependency.split("|")]


class Host:
    """The packages that are installed on this machine."""

    def __init__(self):
        self.stanzas, self.fields, self.providers = {}, {}, {}
        for stanza in (DPKG / "status").read_text().strip().split("\n\n"):
            fields = dict(re.findall(r"^([\w-]+): (.*)$", stanza, re.MULTILINE))
            if not fields["Status"].endswith(" installed"):
                continue
            name = fields["Package"]
            self.stanzas[name], self.fields[name] = stanza, fields
            for names in [[name], *alternatives(fields.get("Provides", ""))]:
                self.providers.setdefault(names[0], name)

    def essential(self):
        return [name for name, fields in self.fields.items() if fields.get("Essential") == "yes"]

    def closure(self, names):
        """Those packages and all they depend on."""
        found, waiting = set(), [[name] for name in names]
        while waiting:
            choices = waiting.pop()
            name = next((self.providers[choice] for choice in choices if choice in self.providers), None)
            if name is None:
                raise LookupError(f"{' | '.join(choices)} is not installed on this machine")
            if name not in found:
                found.add(name)
                for field in ("Depends", "Pre-Depends"):
                    waiting.extend(alternatives(self.fields[name].get(field, "")))
        return found

    def lists(self, name):
        """The files of dpkg's database about a package."""
        files = []
        for stem in (name, f"{name}:{self.fields[name]['Architecture']}"):
            files += (DPKG / "info").glob(f"{stem}.*")
        return files


class CleanRoot:
    def __init__(self, directory):
        self.host, self.packages = Host(), set()
        self.path = pathlib.Path(directory)
        for name in ("proc", "dev", "tmp", "root", "var/lib/dpkg/info", "var/lib/dpkg/updates", "etc"):
            (self.path / name).mkdir(parents=True)
        for name in NEEDED_LINKS:
            if (pathlib.Path("/") / name).is_symlink():
                (self.path / "usr" / name).mkdir(parents=True, exist_ok=True)
                (self.path / name).symlink_to(f"usr/{name}")
        (self.path / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
        self.add(self.host.essential())

    def add(self, names):
        """Adds packages of this machine, and all they depend on."""
        new = self.host.closure(names) - self.packages
        self.packages |= new
        files = set()
        for name in new:
            lists = self.host.lists(name)
            files.update(map(str, lists))
            for file in lists:
                if file.suffix == ".list":
                    files.update(file.read_text().splitlines())
        files = sorted(file for file in files if os.path.lexists(file) and file != "/." and not LEFT_OUT.match(file))
        subprocess.run(["sh", "-c", COPY, self.path], input="".join(f".{file}\n" for file in files), text=True, check=True)
        with open(self.path / "var/lib/dpkg/status", "a") as status:
            status.writelines(self.host.stanzas[name] + "\n\n" for name in sorted(new))

    def install(self, debs):
        """Installs package files, by the dpkg of the root: it refuses one whose dependencies are not there."""
        for deb in debs:
            (self.path / "tmp" / deb.name).write_bytes(deb.read_bytes())
        self.run("dpkg", "--install", *(f"/tmp/{deb.name}" for deb in debs))

    def run(self, *command):
        """What a command in the root prints; raises an error if it fails."""
        environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/root", "LC_ALL": "C.UTF-8"}
        result = subprocess.run(["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", ENTER, self.path, *command],
                                env=environment, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.STDOUT, text=True)
        if result.returncode:
            raise RuntimeError(f"{' '.join(command)}: exit code {result.returncode}\n{result.stdout}")
        return result.stdout
