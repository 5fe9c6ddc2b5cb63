const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** Random bytes for the next ids. One call for many of them is much faster. */
const pool = new Uint8Array(4_096)
let used = pool.length

/** Returns 128 random bits as 32 hexadecimal digits. */
export function randomId(): string {
  if (used === pool.length) {
    crypto.getRandomValues(pool)
    used = 0
  }
  let id = ''
  for (const end = used + 16; used < end; used++) id += HEX[pool[used] ?? 0]
  return id
}
