import { createAgent } from '@sdk/server'
import { convertToModelMessages, stepCountIs, streamText, type UIMessage } from 'ai'
import { z } from 'zod'
import { model } from '../model.ts'

export const chat = createAgent('chat', {
  input: z.object({ messages: z.array(z.custom<UIMessage>()).max(100) }),
  async handler(ctx, { messages }) {
    const tools = await ctx.tools([
      'GET /api/v1/tasks',
      'POST /api/v1/tasks',
      'PATCH /api/v1/tasks/:id',
      'DELETE /api/v1/tasks/:id',
      'POST /agent/weather',
    ] as never) // a project has the types of its routes
    return streamText({
      model,
      messages: await convertToModelMessages(messages),
      tools,
      stopWhen: stepCountIs(5),
      abortSignal: ctx.signal,
    }).toUIMessageStreamResponse()
  },
})
