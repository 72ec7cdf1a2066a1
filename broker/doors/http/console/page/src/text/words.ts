// Words: names of the API as words.

// "deadLetteringOnMessageExpiration" -> "Dead lettering on message expiration".
export function words(name: string): string {
  const apart = name.replace(/([a-z])([A-Z])/g, (_, one, other) => `${one} ${other.toLowerCase()}`);
  return apart.charAt(0).toUpperCase() + apart.slice(1);
}

// "ENTITY_STATUS_SEND_DISABLED" -> "send disabled", without what all of its kind begin with.
export function enumWords(value: string, prefix: string): string {
  return value.replace(prefix, "").replaceAll("_", " ").toLowerCase();
}
