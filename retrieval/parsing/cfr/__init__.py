"""Reads the XML of the Code of Federal Regulations: the eCFR's, and the annual edition's of the Government Publishing
Office.
"""
