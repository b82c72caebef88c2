"""usage: sbom.py BUILD_DIR

Prints the software bill of materials of the build in SPDX 2.3: what the package links, statically and dynamically, and
what only the build and the tests take.
"""

import datetime
import json
import os
import pathlib
import re
import subprocess
import sys
import uuid

BUILD = pathlib.Path(sys.argv[1])
ROOT = pathlib.Path(__file__).parents[2]


def output(*command):
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def compiler(language):
    """Name and version that CMake found, or nothing."""
    for file in BUILD.glob(f"CMakeFiles/*/CMake{language}Compiler.cmake"):
        found = dict(re.findall(rf'set\(CMAKE_{language}_COMPILER_(ID|VERSION) "(.*)"\)', file.read_text()))
        return found["ID"], found["VERSION"]
    return None


def needed(*files):
    """The sonames that the dynamic linker loads for these files of the build."""
    return sorted({name for file in files
                   for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "-dW", BUILD.resolve() / file))})


cache = (BUILD / "CMakeCache.txt").read_text()
version = re.search(r"^CMAKE_PROJECT_VERSION:\w+=(.*)$", cache, re.M)[1]
commit = output("git", "rev-parse", "HEAD")
packages, relationships = [], []


def package(name, version_info, licence, relation, comment):
    spdx_id = "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", name)
    entry = {"SPDXID": spdx_id, "name": name, "versionInfo": version_info, "downloadLocation": "NOASSERTION",
             "filesAnalyzed": False, "licenseDeclared": licence, "licenseConcluded": licence,
             "copyrightText": "NOASSERTION", "comment": comment}
    packages.append({key: value for key, value in entry.items() if value != ""})
    ends = ("SPDXRef-gpuctr", spdx_id) if relation.endswith("LINK") else (spdx_id, "SPDXRef-gpuctr")
    if relation == "DESCRIBES":
        ends = ("SPDXRef-DOCUMENT", spdx_id)
    relationships.append({"spdxElementId": ends[0], "relationshipType": relation, "relatedSpdxElement": ends[1]})


package("gpuctr", version, "Apache-2.0", "DESCRIBES", f"commit {commit}")
package("OpenSSL headers", output("pkg-config", "--modversion", "libcrypto"), "Apache-2.0", "BUILD_DEPENDENCY_OF",
        "The module is compiled with the headers and links no library of OpenSSL.")
if re.search(r"^GPUCTR_CUDA_FOUND:INTERNAL=ON$", cache, re.M):
    package("CUDA runtime", compiler("CUDA")[1], "NOASSERTION", "STATIC_LINK",
            "libcudart_static, under NVIDIA's CUDA Toolkit End User License Agreement.")
package("GoogleTest", output("pkg-config", "--modversion", "gtest"), "BSD-3-Clause", "TEST_DEPENDENCY_OF",
        "The tests link it statically; the package does not have it.")
package("C++ compiler " + compiler("CXX")[0], compiler("CXX")[1], "NOASSERTION", "BUILD_TOOL_OF", "")
for soname in needed("gpuctr.so", "gpuctr-check"):
    users = [file for file in ("gpuctr.so", "gpuctr-check") if soname in needed(file)]
    package(soname, "", "NOASSERTION", "DYNAMIC_LINK", f"Loaded for {' and '.join(users)}.")

created = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), datetime.timezone.utc)
contents = json.dumps([packages, relationships])
print(json.dumps({
    "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"gpuctr-{version}",
    "documentNamespace": uuid.uuid5(uuid.NAMESPACE_OID, contents).urn,
    "creationInfo": {"created": f"{created:%Y-%m-%dT%H:%M:%SZ}",
                     "creators": ["Organization: The gpuctr maintainers", "Tool: test/package/sbom.py"]},
    "packages": packages, "relationships": relationships}, indent=1))
