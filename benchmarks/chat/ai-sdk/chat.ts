import { convertToModelMessages, stepCountIs, streamText, tool, type UIMessage } from 'ai'
import { Hono } from 'hono'
import { z } from 'zod'
import { getUser, tasks, weather } from '../app.ts'
import { model } from '../model.ts'

const id = z.number().int()
const title = z.string().min(1).max(200)

export const chat = new Hono().post('/chat', async (c) => {
  const user = await getUser(c.req.raw)
  if (user === null) return c.json({ error: 'Sign in to use this route' }, 401)
  const body = z.object({ messages: z.array(z.custom<UIMessage>()).max(100) }).safeParse(await c.req.json())
  if (!body.success) return c.json({ error: body.error.message }, 400)
  const result = streamText({
    model,
    messages: await convertToModelMessages(body.data.messages),
    stopWhen: stepCountIs(5),
    abortSignal: c.req.raw.signal,
    tools: {
      listTasks: tool({
        description: "Lists the user's tasks",
        inputSchema: z.object({ done: z.boolean().optional(), limit: z.number().int().max(100).optional() }),
        execute: (query) => tasks.list(user, query),
      }),
      createTask: tool({
        description: 'Creates a task',
        inputSchema: z.object({ title, done: z.boolean().optional() }),
        execute: (input) => tasks.create(user, input),
      }),
      updateTask: tool({
        description: 'Changes a task',
        inputSchema: z.object({ id, title: title.optional(), done: z.boolean().optional() }),
        execute: ({ id: task, ...change }) => tasks.update(user, task, change),
      }),
      deleteTask: tool({
        description: 'Deletes a task',
        inputSchema: z.object({ id }),
        execute: ({ id: task }) => tasks.delete(user, task),
      }),
      weather: tool({
        description: 'Returns the weather in a city',
        inputSchema: z.object({ city: z.string().min(1).max(100) }),
        execute: ({ city }) => weather(city),
      }),
    },
  })
  return result.toUIMessageStreamResponse()
})
