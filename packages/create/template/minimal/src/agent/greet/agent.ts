import { setTimeout as pause } from 'node:timers/promises'
import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('greet', {
  description: 'Greets somebody, word by word',
  input: z.object({ name: z.string().trim().min(1).max(50) }),
  output: z.object({ word: z.string() }), // one chunk, because the handler streams
  async *handler(ctx, input) {
    ctx.log.info('greeting', { name: input.name })
    for (const word of `Hello ${input.name}, every word of this came by itself.`.split(' ')) {
      if (ctx.signal.aborted) return // the caller went away
      yield { word }
      await pause(80)
    }
  },
})
