import { isJsonObject } from '../form/json-schema.ts'

/** A part of a message, with the members that are shown. Messages are sent back with all members that they had. */
export interface ChatPart {
  /** A type of the AI SDK's `UIMessage`, or `error` and `abort` for an answer that did not end. */
  readonly type: string
  readonly text?: string
  readonly toolCallId?: string
  readonly toolName?: string
  readonly state?: string
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
  readonly approval?: { readonly id: string; readonly approved?: boolean }
  readonly mediaType?: string
  readonly filename?: string
  readonly url?: string
  readonly title?: string
  readonly data?: unknown
}

/** A message of a conversation, in the format of the AI SDK's `UIMessage`. */
export interface ChatMessage {
  readonly id: string
  readonly role: string
  readonly parts: readonly ChatPart[]
}

/** Converts values to messages, in either format of the AI SDK: with `parts`, or with `content`. */
export function toChatMessages(values: readonly unknown[]): ChatMessage[] {
  const messages: ChatMessage[] = []
  for (const value of values) {
    if (!isJsonObject(value) || typeof value['role'] !== 'string') continue
    const { id, role, parts, content } = value
    const last = messages.at(-1)
    if (role === 'tool' && last !== undefined) {
      messages[messages.length - 1] = { ...last, parts: addResults(last.parts, listParts(content)) }
      continue
    }
    const own = Array.isArray(parts) ? parts.filter(isPart) : listParts(content).map(fromModelPart)
    const isNextStep = role === 'assistant' && last?.role === role && !Array.isArray(parts)
    if (isNextStep) messages[messages.length - 1] = { ...last, parts: [...last.parts, ...own] }
    else messages.push({ id: typeof id === 'string' ? id : `m${messages.length}`, role, parts: own })
  }
  return messages.filter((message) => message.parts.some((part) => part.type !== 'text' || part.text !== ''))
}

/** Converts the content of an answer that a model gave, with the results of tools that the provider executed. */
export function toAnswerOf(content: unknown): ChatPart[] {
  const parts = listParts(content)
  return addResults(parts.filter((part) => !isResult(part)).map(fromModelPart), parts.filter(isResult))
}

/** Returns the name of the tool that a part calls, or null if it calls none. */
export function toolNameOf({ type, toolName }: ChatPart): string | null {
  if (type === 'dynamic-tool') return toolName ?? 'tool'
  return type.startsWith('tool-') ? type.slice('tool-'.length) : null
}

type ModelPart = Readonly<Record<string, unknown>> & { readonly type: string }

function isPart(value: unknown): value is ChatPart & ModelPart {
  return isJsonObject(value) && typeof value['type'] === 'string'
}

function listParts(content: unknown): ModelPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return Array.isArray(content) ? content.filter(isPart) : []
}

function isResult({ type }: ModelPart): boolean {
  return type === 'tool-result' || type === 'tool-error'
}

function fromModelPart(part: ModelPart): ChatPart {
  if (part.type === 'tool-call') return { ...part, type: 'dynamic-tool', state: 'input-available' }
  return part.type === 'image' ? { ...part, type: 'file' } : part
}

/** Adds the results of tools to the calls that they belong to. */
function addResults(parts: readonly ChatPart[], results: readonly ModelPart[]): ChatPart[] {
  return parts.map((part) => {
    const result = results.find((one) => isResult(one) && one['toolCallId'] === part.toolCallId)
    return result === undefined || toolNameOf(part) === null ? part : { ...part, ...toResult(result) }
  })
}

/** Messages wrap the output in an object with its type; the content of an answer contains the output itself. */
function toResult({ type, output, error }: ModelPart): Partial<ChatPart> {
  const isWrapped = isJsonObject(output) && typeof output['type'] === 'string' && 'value' in output
  const [kind, value] = isWrapped ? [String(output['type']), output['value']] : [type, output ?? error]
  if (kind === 'execution-denied') return { state: 'output-denied' }
  if (!/error/.test(kind)) return { state: 'output-available', output: value }
  return { state: 'output-error', errorText: typeof value === 'string' ? value : JSON.stringify(value) }
}
