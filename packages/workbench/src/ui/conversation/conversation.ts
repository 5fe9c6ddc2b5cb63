import type { RunModelStep } from '../../run.ts'
import { parseJson } from '../components/parse-json.ts'
import { isJsonObject } from '../form/json-schema.ts'
import { toAnswerOf, toChatMessages, type ChatMessage, type ChatPart } from './chat-message.ts'
import { isMessageStream, readAnswer } from './read-answer.ts'

/** The names under which agents take a message, if they do not take all of them. */
const TEXT_FIELDS = ['text', 'message', 'prompt', 'question']

/** The data of a run that a conversation is read from. */
export interface ConversationSource {
  /** The parsed body of the call. */
  readonly input: unknown
  /** The chunks of the response, or the value in a list. */
  readonly output: readonly unknown[]
  readonly models: readonly RunModelStep[]
}

/**
 * Returns the conversation that a run belongs to: the messages that the model received, which include the history that
 * the agent has read from a database, and the answer. The list is empty if the run has neither called a model nor
 * streamed a UI message.
 */
export function toConversation({ input, output, models }: ConversationSource): ChatMessage[] {
  const isStream = isMessageStream(output)
  if (!isStream && models.length === 0) return []
  const steps = ownSteps(models)
  const sent = readRequest(steps[0])
  const asked = sent.length > 0 ? sent : readInput(input)
  if (isStream) return [...asked, toMessage('answer', 'assistant', readAnswer(output))]
  // The last call of the AI SDK has received the results of all earlier ones.
  const call = steps.filter((step) => step.call === steps.at(-1)?.call)
  return addAnswer([...systemOf(call[0]), ...toChatMessages(call.flatMap(messagesOf))], call.at(-1))
}

/** Returns the messages in the input of a call. */
export function readInput(input: unknown): ChatMessage[] {
  if (!isJsonObject(input)) return []
  if (Array.isArray(input['messages'])) return toChatMessages(input['messages'])
  const text = TEXT_FIELDS.map((name) => input[name]).find((value) => typeof value === 'string')
  return text === undefined ? [] : [toTextMessage('question', text)]
}

/** Returns a message of the user. */
export function toTextMessage(id: string, text: string): ChatMessage {
  return toMessage(id, 'user', [{ type: 'text', text }])
}

/** Returns a message. */
export function toMessage(id: string, role: string, parts: readonly ChatPart[]): ChatMessage {
  return { id, role, parts }
}

/** Returns the steps of the run itself, or all steps if only its nested runs have called models. */
function ownSteps(models: readonly RunModelStep[]): readonly RunModelStep[] {
  const own = models.filter(({ spanId }) => spanId === 0)
  return own.length > 0 ? own : models
}

function readRequest(step: RunModelStep | undefined): ChatMessage[] {
  return step === undefined ? [] : [...systemOf(step), ...toChatMessages(messagesOf(step))]
}

function requestOf(step: RunModelStep | undefined): Readonly<Record<string, unknown>> {
  const request = step === undefined ? undefined : parseJson(step.input.text)
  return isJsonObject(request) ? request : {}
}

function messagesOf(step: RunModelStep): readonly unknown[] {
  const { messages } = requestOf(step)
  return Array.isArray(messages) ? messages : []
}

function systemOf(step: RunModelStep | undefined): ChatMessage[] {
  const { system } = requestOf(step)
  const text = isJsonObject(system) ? system['content'] : system
  return typeof text === 'string' ? [toMessage('system', 'system', [{ type: 'text', text }])] : []
}

function addAnswer(messages: readonly ChatMessage[], step: RunModelStep | undefined): ChatMessage[] {
  const parts: ChatPart[] = toAnswerOf(parseJson(step?.output?.text ?? ''))
  if (step?.error) parts.push({ type: 'error', errorText: step.error.message })
  if (parts.length === 0) return [...messages]
  const last = messages.at(-1)
  if (last?.role !== 'assistant') return [...messages, toMessage('answer', 'assistant', parts)]
  return [...messages.slice(0, -1), { ...last, parts: [...last.parts, ...parts] }]
}
