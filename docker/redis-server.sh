# Starts Redis with a user for each service, which reaches the keys and channels of its own prefix and no command that
# administers the server. Passwords are passed to Redis as SHA-256 digests.
set -eu
umask 077
digest() { printf %s "$1" | sha256sum | cut -d ' ' -f 1; }
user() { printf 'user %s on #%s resetkeys ~%s:* ~{%s:* ~{%s.* resetchannels &%s:* &{%s:* &{%s.* -@all +@all -@admin -@dangerous +info\n' \
  "$1" "$(digest "$2")" "$1" "$1" "$1" "$1" "$1" "$1"; }
{
  # No client can be this user, and Redis reads its append-only file by the rights of this user: with less than all of
  # them, a restart would drop every transaction in the file.
  echo 'user default off resetpass allkeys allchannels +@all'
  echo 'user health on nopass resetkeys resetchannels -@all +ping'
  user chat "$CHAT_REDIS_PASSWORD"
  user inventory "$INVENTORY_REDIS_PASSWORD"
} > /tmp/users.acl
exec redis-server --appendonly yes --aclfile /tmp/users.acl
