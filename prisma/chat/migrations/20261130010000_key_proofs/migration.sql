-- Encryption keys and peppers that are in use, each with a proof: a constant that is encrypted with the key, or digested
-- with the pepper. A start without one of them, or with another one under its id, is refused.
CREATE TABLE "key_proofs" (
    "kind" TEXT NOT NULL,
    "id" TEXT NOT NULL,
    "proof" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "key_proofs_pkey" PRIMARY KEY ("kind", "id")
);
