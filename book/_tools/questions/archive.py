"""Packages that are the same byte for byte whenever they are made from the same questions."""

import io
import zipfile
from xml.etree import ElementTree as ET

THE_FIRST_DAY = (1980, 1, 1, 0, 0, 0)


def zipped(files):
    """A zip of files: a dictionary of their names and bytes."""
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name, THE_FIRST_DAY), content, zipfile.ZIP_DEFLATED)
    return memory.getvalue()


def manifest(namespace, schema, version, resources, needed=None):
    """The file that says what is in a package: for each file, the attributes of its resource, and the identifiers of
    the resources that are `needed` with it, if there are any.
    """
    ET.register_namespace("", namespace)
    root = ET.Element(f"{{{namespace}}}manifest", identifier="questions")
    metadata = ET.SubElement(root, f"{{{namespace}}}metadata")
    ET.SubElement(metadata, f"{{{namespace}}}schema").text = schema
    ET.SubElement(metadata, f"{{{namespace}}}schemaversion").text = version
    ET.SubElement(root, f"{{{namespace}}}organizations")
    listed = ET.SubElement(root, f"{{{namespace}}}resources")
    for file, attributes in resources.items():
        resource = ET.SubElement(listed, f"{{{namespace}}}resource", attributes)
        ET.SubElement(resource, f"{{{namespace}}}file", href=file)
        for identifier in (needed or {}).get(file, []):
            ET.SubElement(resource, f"{{{namespace}}}dependency", identifierref=identifier)
    return xml_bytes(root)


def xml_bytes(root):
    """A file of XML, indented."""
    ET.indent(root)
    return ET.tostring(root, encoding="utf-8", xml_declaration=True)
