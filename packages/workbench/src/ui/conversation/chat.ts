import { RUN_THREAD_HEADER } from '@sdk/protocol'
import { parseJson } from '../components/parse-json.ts'
import { isJsonObject, listOf, ownMember, type JsonSchema } from '../form/json-schema.ts'
import type { CallInput } from '../input/call-input.ts'
import type { ChatMessage, ChatPart } from './chat-message.ts'
import { isMessageStream, readAnswer } from './read-answer.ts'

/**
 * How an agent takes a conversation: all messages with `parts` or `content`, or only the newest text, if the agent is
 * durable and reads the history of its thread.
 */
export type ChatStyle = 'parts' | 'content' | 'text'

/** Returns how an agent takes a conversation, or null if it does not. */
export function chatStyleOf(schema: JsonSchema | null, isDurable: boolean): ChatStyle | null {
  const properties = ownMember(schema, 'properties')
  const messages = ownMember(properties, 'messages')
  if (messages !== undefined) return stylesOfMessages(messages)
  const isText = ownMember(ownMember(properties, 'text'), 'type') === 'string'
  const isOnlyText = listOf(schema ?? {}, 'required').every((name) => name === 'text' || name === 'id')
  return isDurable && isText && isOnlyText ? 'text' : null
}

function stylesOfMessages(messages: unknown): ChatStyle | null {
  const type = ownMember(messages, 'type')
  if (type !== undefined && type !== 'array') return null
  const fields = ownMember(ownMember(messages, 'items'), 'properties')
  return ownMember(fields, 'content') !== undefined && ownMember(fields, 'parts') === undefined ? 'content' : 'parts'
}

/** A conversation that is sent: its messages until the newest one, and its thread. */
export interface ChatCall {
  readonly style: ChatStyle
  readonly messages: readonly ChatMessage[]
  readonly thread: string
}

/** Returns the input that sends a conversation. Other fields and headers of the current input are kept. */
export function toChatInput(current: CallInput, { style, messages, thread }: ChatCall): CallInput {
  const parsed = parseJson(current.body)
  const rest = isJsonObject(parsed) ? parsed : {}
  const newest = messages.at(-1)
  if (style !== 'text') return { ...current, body: print({ ...rest, messages: messages.map(toSent(style)) }) }
  const headers = current.headers.filter(([name]) => name.toLowerCase() !== RUN_THREAD_HEADER)
  const body = print({ ...rest, id: newest?.id, text: textOf(newest) })
  return { ...current, headers: [...headers, [RUN_THREAD_HEADER, thread]], body }
}

function toSent(style: ChatStyle): (message: ChatMessage) => object {
  return (message) => {
    if (style === 'content') return { role: message.role, content: textOf(message) }
    return { ...message, parts: message.parts.filter(({ type }) => type !== 'error' && type !== 'abort') }
  }
}

function textOf(message: ChatMessage | undefined): string {
  return (message?.parts ?? []).map(({ type, text }) => (type === 'text' ? text : '')).join('')
}

function print(body: object): string {
  return JSON.stringify(body, null, 2)
}

/** Returns the parts of an agent's answer: a UI message, texts, or any other value as JSON. `parts` are its first ones. */
export function toAnswerParts(output: unknown, parts: readonly ChatPart[]): readonly ChatPart[] {
  if (output === undefined || output === null) return parts
  const chunks = Array.isArray(output) ? output : [output]
  if (isMessageStream(chunks)) return readAnswer(chunks, parts)
  const text = chunks.every((chunk) => typeof chunk === 'string') ? chunks.join('') : print(output)
  return [...parts, { type: 'text', text }]
}

/** Returns a message with the decision about a tool call, which the AI SDK reads from the message when it is sent back. */
export function withDecision(message: ChatMessage, toolCallId: string, approved: boolean): ChatMessage {
  const decide = (part: ChatPart): ChatPart =>
    part.toolCallId === toolCallId && part.approval !== undefined
      ? { ...part, state: 'approval-responded', approval: { ...part.approval, approved } }
      : part
  return { ...message, parts: message.parts.map(decide) }
}

/** Returns whether a message waits for a decision about a tool call. */
export function isAsking(message: ChatMessage | undefined): boolean {
  return message?.parts.some(({ state }) => state === 'approval-requested') ?? false
}
