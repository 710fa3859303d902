import pg from 'pg';

/** Subscribes the owner of the benchmark's realm to the only channel. */
export async function subscribeRealmOwnerToChannel(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    `INSERT INTO subscriptions (user_id, channel_id, color)
     SELECT u.id, c.id, '#76ce90' FROM users u, channels c WHERE u.delivery_email_key = 'owner@example.com'
     ON CONFLICT DO NOTHING`,
  );
  await client.end();
}
