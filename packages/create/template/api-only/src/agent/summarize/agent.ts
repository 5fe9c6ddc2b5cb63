import { setTimeout as pause } from 'node:timers/promises'
import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('summarize', {
  description: 'Summarizes text, sentence by sentence',
  input: z.object({ text: z.string().trim().min(1).max(20_000) }),
  output: z.object({ sentence: z.string() }), // the schema of one chunk, because the handler streams
  async *handler(ctx, { text }) {
    ctx.log.info('summarizing', { length: text.length })
    for (const sentence of text.split(/(?<=[.!?])\s+/)) {
      await pause(100, undefined, { signal: ctx.signal }) // simulates a model; stops when the client disconnects
      yield { sentence: shorten(sentence) }
    }
  },
})

/** Replace this with your model. */
function shorten(sentence: string): string {
  const words = sentence.split(/\s+/)
  return words.length <= 8 ? sentence : `${words.slice(0, 8).join(' ')} …`
}
