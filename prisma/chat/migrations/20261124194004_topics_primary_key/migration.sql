-- Both indexes exist: this reads the topics once, for the ids that may not be null.
ALTER TABLE "topics" DROP CONSTRAINT "topics_pkey",
    ADD CONSTRAINT "topics_pkey" PRIMARY KEY USING INDEX "topics_id_key";
