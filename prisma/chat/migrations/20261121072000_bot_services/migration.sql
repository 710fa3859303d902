-- Where an outgoing webhook sends its messages. The token is sealed, like the bot's key.
CREATE TABLE "bot_services" (
    "user_id" INTEGER NOT NULL,
    "base_url" TEXT NOT NULL,
    "interface" INTEGER NOT NULL DEFAULT 1,
    "token_sealed" TEXT NOT NULL,

    CONSTRAINT "bot_services_pkey" PRIMARY KEY ("user_id")
);

ALTER TABLE "bot_services" ADD CONSTRAINT "bot_services_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
