import { setTimeout as pause } from 'node:timers/promises'
import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('summarize', {
  description: 'Summarizes a text, sentence by sentence',
  input: z.object({ text: z.string().min(1).max(20_000) }),
  output: z.object({ sentence: z.string() }),
  async *handler(ctx, input) {
    ctx.log.info('summarizing', { length: input.text.length })
    for (const sentence of sentences(input.text)) {
      await pause(120, undefined, { signal: ctx.signal }) // stands in for a model that thinks
      yield { sentence }
    }
  },
})

/** The first words of every sentence: a humble summary. */
function sentences(text: string): string[] {
  const whole = text.split(/(?<=[.!?])\s+/).filter((sentence) => sentence.trim() !== '')
  return whole.map((sentence) => shorten(sentence.trim().split(/\s+/)))
}

function shorten(words: string[]): string {
  return words.length <= 8 ? words.join(' ') : `${words.slice(0, 8).join(' ')} …`
}
