/**
 * Shows a chat with a model, as `sdk add chat` writes it: the history is in the database, the model calls routes of this
 * app as tools, and an answer continues after a reload or a crash.
 */
import { ApiError, createAgent, requireUser } from '@sdk/server'
import { getToolName, isToolUIPart, type UIMessage, type UIMessageChunk } from 'ai'
import { z } from 'zod'
import { assistantMessages, keepMessage } from '../../api/assistant-messages.ts'
import { model } from './model.ts'
import { think } from './think.ts'

type Part = UIMessage['parts'][number]

/** The routes that the model can call as tools. They run as the user who asks. */
const TOOLS = {
  listTasks: 'GET /api/v1/tasks',
  createTask: 'POST /api/v1/tasks',
  deleteTask: 'DELETE /api/v1/tasks/:id',
} as const

/** The tools that run only after a person has approved the call. */
const NEEDS_APPROVAL: ReadonlySet<string> = new Set(['deleteTask'])

/** The users who may approve the calls of others, in addition to the user who asks: `CHAT_APPROVERS=ada@example.com`. */
const APPROVERS = new Set((process.env['CHAT_APPROVERS'] ?? '').split(',').filter(Boolean))

const INSTRUCTIONS = 'You are a helpful assistant. Use your tools to read and change the data of the user.'

/** The maximum number of times that the model is called for one message. */
const MAX_ROUNDS = 8

export default createAgent('assistant', {
  description: 'Answers a message of a conversation, and calls tools',
  durable: { busy: 'queue', access: ({ user }) => user !== null && APPROVERS.has(user.email) },
  // Only the newest message: the agent reads the earlier ones from the database, so nobody can forge them.
  input: z.object({ id: z.string().min(1).max(100), text: z.string().trim().min(1).max(8000) }),
  events: { approval: z.object({ ok: z.boolean() }) },
  async *handler(ctx, { id, text }): AsyncGenerator<UIMessageChunk> {
    const { id: ownerId, name: asker } = await requireUser(ctx)
    const thread = ctx.thread?.id
    if (thread === undefined) throw new ApiError('INVALID_REQUEST', 'Send the id of the conversation as Run-Thread')
    const question = { ownerId, thread, key: id, role: 'user' as const, parts: [{ type: 'text' as const, text }] }
    await ctx.step('question', () => keepMessage(question))
    const { data } = await ctx.rows(assistantMessages).list({ thread, sort: '-id', limit: 50 })
    const history = data.toReversed().map(({ role, parts }) => ({ role, parts: parts as Part[] }))
    const tools: Tools = await ctx.tools(TOOLS)

    yield { type: 'start', messageId: ctx.run.id }
    const answer: Part[] = []
    for (let round = 1; round <= MAX_ROUNDS; round++) {
      // A finished step does not run again after a crash: its parts are stored, and so are its chunks.
      const thought = yield* ctx.step.stream('think', ({ signal }) =>
        think({
          model,
          tools,
          signal,
          system: INSTRUCTIONS,
          messages: [...history, { role: 'assistant', parts: answer }],
        }),
      )
      const parts = thought as Part[]
      for (const part of parts) answer.push(isCall(part) ? yield* call(part) : part)
      if (!parts.some(isToolUIPart)) break
    }
    await ctx.step('answer', () => keepMessage({ ownerId, thread, key: ctx.run.id, role: 'assistant', parts: answer }))
    yield { type: 'finish' }

    /** Calls a tool, after an approval if it needs one. */
    async function* call(part: Call): AsyncGenerator<UIMessageChunk, Part> {
      const { toolCallId, input } = part
      const tool = getToolName(part)
      if (NEEDS_APPROVAL.has(tool)) {
        yield { type: 'tool-approval-request', approvalId: toolCallId, toolCallId }
        const ask = { asker, ownerId, tool, input }
        const { ok } = await ctx.wait('approval', { id: toolCallId, ask, timeout: '7d' }).catch(deny)
        if (!ok) {
          yield { type: 'tool-output-denied', toolCallId }
          return { ...part, state: 'output-denied', approval: { id: toolCallId, approved: false } }
        }
      }
      const output = await ctx.step(`call ${tool}`, () => tools[tool]?.execute(input))
      yield { type: 'tool-output-available', toolCallId, output }
      return { ...part, state: 'output-available', output }
    }
  },
})

type Tools = Parameters<typeof think>[0]['tools']
type Call = Extract<Part, { state: 'input-available' }>

/** Whether a part is a call of a tool that has not run. The AI SDK itself answers calls with invalid input. */
function isCall(part: Part): part is Call {
  return isToolUIPart(part) && part.state === 'input-available'
}

/** Nobody has decided in time. */
function deny(error: unknown): { ok: boolean } {
  if (error instanceof ApiError && error.code === 'EVENT_TIMEOUT') return { ok: false }
  throw error
}
