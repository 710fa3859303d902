-- Accounts whose messages are to be deleted, until none is left.
CREATE TABLE "doomed_senders" (
    "user_id" INTEGER NOT NULL,
    CONSTRAINT "doomed_senders_pkey" PRIMARY KEY ("user_id")
);
