"""The corpus, who may see it, the jobs that fill it and the log of what was asked."""

from retrieval.models.access import ApiKey, DocumentGrant, SetPassword
from retrieval.models.chunks import (
    Chunk,
    ChunkVector,
    EmbeddingModel,
    SectionTerms,
    Summary,
    Vocabulary,
    WrittenSummary,
)
from retrieval.models.corpus import (
    Anchor,
    Citation,
    Definition,
    Document,
    Domain,
    Section,
    SuggestedQuestion,
    UnownedDocument,
)
from retrieval.models.history import KeptQuestion, QuestionHistory
from retrieval.models.learned import LLMCall, LLMPolicy, LLMRefusal, LLMVerdict, RankerModel, ShadowRanking
from retrieval.models.log import Click, Feedback, SearchLog, Trace
from retrieval.models.matters import Deadline, Erasure, Matter, MatterMember
from retrieval.models.operations import (
    CacheEntry,
    Checkpoint,
    Download,
    IndexChange,
    JobRun,
    RateWindow,
    Trouble,
    Version,
)
from retrieval.models.uploads import Upload
