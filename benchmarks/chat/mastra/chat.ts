import { Agent } from '@mastra/core/agent'
import { Mastra } from '@mastra/core/mastra'
import { RequestContext } from '@mastra/core/request-context'
import { registerApiRoute } from '@mastra/core/server'
import { createTool } from '@mastra/core/tools'
import type { UIMessage } from 'ai'
import { z } from 'zod'
import { getUser, tasks, weather, type User } from '../app.ts'
import { model } from '../model.ts'

const id = z.number().int()
const title = z.string().min(1).max(200)
const userOf = (context: { requestContext?: RequestContext | undefined }): User =>
  context.requestContext?.get('user') as User

const agent = new Agent({
  id: 'chat',
  name: 'Chat',
  instructions: '',
  model: model as never,
  tools: {
    listTasks: createTool({
      id: 'listTasks',
      description: "Lists the user's tasks",
      inputSchema: z.object({ done: z.boolean().optional(), limit: z.number().int().max(100).optional() }),
      execute: (query, context) => tasks.list(userOf(context), query),
    }),
    createTask: createTool({
      id: 'createTask',
      description: 'Creates a task',
      inputSchema: z.object({ title, done: z.boolean().optional() }),
      execute: (input, context) => tasks.create(userOf(context), input),
    }),
    updateTask: createTool({
      id: 'updateTask',
      description: 'Changes a task',
      inputSchema: z.object({ id, title: title.optional(), done: z.boolean().optional() }),
      execute: ({ id: task, ...change }, context) => tasks.update(userOf(context), task, change),
    }),
    deleteTask: createTool({
      id: 'deleteTask',
      description: 'Deletes a task',
      inputSchema: z.object({ id }),
      execute: ({ id: task }, context) => tasks.delete(userOf(context), task),
    }),
    weather: createTool({
      id: 'weather',
      description: 'Returns the weather in a city',
      inputSchema: z.object({ city: z.string().min(1).max(100) }),
      execute: ({ city }) => weather(city),
    }),
  },
})

export const mastra = new Mastra({
  agents: { chat: agent },
  server: {
    apiRoutes: [
      registerApiRoute('/chat', {
        method: 'POST',
        async handler(c) {
          const user = await getUser(c.req.raw)
          if (user === null) return c.json({ error: 'Sign in to use this route' }, 401)
          const body = z.object({ messages: z.array(z.custom<UIMessage>()).max(100) }).safeParse(await c.req.json())
          if (!body.success) return c.json({ error: body.error.message }, 400)
          const requestContext = new RequestContext([['user', user]])
          const options = { requestContext, maxSteps: 5, abortSignal: c.req.raw.signal }
          const result = await agent.stream(body.data.messages as never, options)
          return new Response(result.textStream.pipeThrough(new TextEncoderStream() as never) as never)
        },
      }),
    ],
  },
})
