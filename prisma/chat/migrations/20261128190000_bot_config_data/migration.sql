-- Values that the owner of a bot configures, sealed like the bot's key.
CREATE TABLE "bot_config_data" (
    "user_id" INTEGER NOT NULL,
    "key" TEXT NOT NULL,
    "value_sealed" TEXT NOT NULL,

    CONSTRAINT "bot_config_data_pkey" PRIMARY KEY ("user_id","key")
);

ALTER TABLE "bot_config_data" ADD CONSTRAINT "bot_config_data_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "users"("id") ON DELETE CASCADE ON UPDATE CASCADE;
