import { createAgent } from '@sdk/server'
import { z } from 'zod'

export default createAgent('greet', {
  description: 'Greets a user, word by word',
  input: z.object({ name: z.string().trim().min(1).max(50) }),
  output: z.object({ word: z.string() }), // the schema of one chunk, because the handler streams
  async *handler(ctx, input) {
    ctx.log.info('greeting', { name: input.name })
    for (const word of `Hello ${input.name}, every word of this sentence was streamed.`.split(' ')) {
      if (ctx.signal.aborted) return // the client disconnected
      yield { word }
      await new Promise((resolve) => setTimeout(resolve, 80))
    }
  },
})
