// Shared by all servers of the benchmark, so that they differ only in the framework.
import { z } from 'zod'

/** The input of the JSON route. */
export const Input = z.object({
  text: z.string().min(1).max(200),
  count: z.number().int().min(0),
  tags: z.array(z.string()).max(10),
})

/** The work of the JSON route. */
export const work = ({ text, count, tags }) => ({ text: text.toUpperCase(), count: count + 1, tags })

/** One chunk of the stream. */
export const chunk = (n) => ({ n, token: `token-${n}`, done: false })

/** The number of chunks in a stream. */
export const CHUNKS = 100

/** A stream whose chunks are all available immediately. */
export async function* burst() {
  for (let n = 0; n < CHUNKS; n++) yield chunk(n)
}

/** A stream with one chunk for each turn of the event loop, as tokens arrive. */
export async function* paced() {
  for (let n = 0; n < CHUNKS; n++) {
    await new Promise((resolve) => setImmediate(resolve))
    yield chunk(n)
  }
}
