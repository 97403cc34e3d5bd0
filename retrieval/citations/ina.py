"""Sections of the Immigration and Nationality Act and where title 8 of the US Code holds them. Pure."""

# Runs that are numbered alike: first and last section of the Act, first section of the Code.
_RUNS = (
    (101, 105, 1101), (201, 210, 1151), (211, 215, 1181), (217, 219, 1187), (221, 224, 1201),
    (231, 239, 1221), (242, 243, 1252), (245, 250, 1255), (251, 258, 1281), (261, 266, 1301),
    (271, 274, 1321), (275, 280, 1325), (281, 293, 1351), (301, 309, 1401), (310, 347, 1421),
    (349, 357, 1481), (358, 361, 1501), (411, 414, 1521), (501, 507, 1531),
)  # fmt: skip
_SINGLE = {
    "106": "1105a", "210A": "1161", "213A": "1183a", "216": "1186a", "216A": "1186b", "235A": "1225a",
    "236A": "1226a", "240": "1229a", "240A": "1229b", "240B": "1229c", "240C": "1230", "241": "1231",
    "244": "1254a", "245A": "1255a", "274A": "1324a", "274B": "1324b", "274C": "1324c", "274D": "1324d",
    "294": "1363a", "329A": "1440-1",
}  # fmt: skip

CODE_SECTION = {
    str(section): str(code + section - first)
    for first, last, code in _RUNS
    for section in range(first, last + 1)
} | _SINGLE
