"""Provisions that the tests of this folder rest claims on."""

from retrieval.proof.types import Source

SOLDIERS = Source(
    "/us/const/amendment/III",
    "U.S. Const. amend. III",
    "No Soldier shall, in time of peace be quartered in any house, without the consent of the Owner, nor in time of "
    "war, but in a manner to be prescribed by law.",
)
SEARCHES = Source(
    "/us/const/amendment/IV",
    "U.S. Const. amend. IV",
    "The right of the people to be secure in their persons, houses, papers, and effects, against unreasonable searches "
    "and seizures, shall not be violated, and no Warrants shall issue, but upon probable cause, supported by Oath or "
    "affirmation, and particularly describing the place to be searched, and the persons or things to be seized.",
)
AGE = Source(
    "/us/const/article/II/section/1/clause/5",
    "U.S. Const. art. II, § 1, cl. 5",
    "No Person except a natural born Citizen, or a Citizen of the United States, at the time of the Adoption of this "
    "Constitution, shall be eligible to the Office of President; neither shall any Person be eligible to that Office "
    "who shall not have attained to the Age of thirty five Years, and been fourteen Years a Resident within the "
    "United States.",
)
TREATIES = Source(
    "/us/const/article/II/section/2/clause/2",
    "U.S. Const. art. II, § 2, cl. 2",
    "He shall have Power, by and with the Advice and Consent of the Senate, to make Treaties, provided two thirds of "
    "the Senators present concur; and he shall nominate, and by and with the Advice and Consent of the Senate, shall "
    "appoint Ambassadors, other public Ministers and Consuls, Judges of the supreme Court.",
)
EVERY = (SOLDIERS, SEARCHES, AGE, TREATIES)
