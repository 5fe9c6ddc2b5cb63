import { isJsonObject } from '../form/json-schema.ts'
import type { ChatPart } from './chat-message.ts'

/** The types of chunks with which the AI SDK begins a stream of UI messages, or a part of one. */
const FIRST_TYPES = /^(?:start|start-step|(?:text|reasoning|tool-input)-start|tool-input-available|data-.+)$/

/** Returns whether chunks are those of a UI message of the AI SDK. */
export function isMessageStream(chunks: readonly unknown[]): boolean {
  const [first] = chunks
  return isJsonObject(first) && typeof first['type'] === 'string' && FIRST_TYPES.test(first['type'])
}

/**
 * Returns the parts of the message that a stream of UI message chunks has sent so far. `parts` are those that the
 * message had before, if the stream continues it.
 */
export function readAnswer(chunks: readonly unknown[], parts: readonly ChatPart[] = []): ChatPart[] {
  const reader = new AnswerReader(parts)
  for (const chunk of chunks)
    if (isJsonObject(chunk) && typeof chunk['type'] === 'string') reader.add(chunk as unknown as Chunk)
  return reader.parts
}

/** The members of the chunks of the AI SDK that are read. */
interface Chunk {
  readonly type: string
  readonly id?: string
  readonly delta?: string
  readonly transient?: boolean
  readonly data?: unknown
  readonly toolCallId?: string
  readonly toolName?: string
  readonly dynamic?: boolean
  readonly input?: unknown
  readonly output?: unknown
  readonly errorText?: string
  readonly approvalId?: string
  readonly providerMetadata?: unknown
}

type Draft = { -readonly [Name in keyof ChatPart]: ChatPart[Name] }

class AnswerReader {
  readonly parts: Draft[]
  /** The texts that have not ended, by the kind and id with which their chunks refer to them. */
  readonly #open = new Map<string, Draft>()

  constructor(parts: readonly ChatPart[]) {
    this.parts = parts.map((part) => ({ ...part }))
  }

  add(chunk: Chunk): void {
    const { type } = chunk
    const [, kind = '', event = ''] = /^(text|reasoning)-(start|delta|end)$/.exec(type) ?? []
    if (kind !== '') return this.#addText(chunk, kind, event)
    if (type.startsWith('tool-')) return this.#addTool(chunk)
    if (type === 'start-step') this.parts.push({ type: 'step-start' })
    else if (type.startsWith('data-')) this.#addData(chunk)
    else if (/^(?:file|source-url|source-document|error|abort)$/.test(type)) this.parts.push({ ...chunk })
  }

  #addText(chunk: Chunk, kind: string, event: string): void {
    const key = `${kind} ${chunk.id}`
    const known = this.#open.get(key)
    const part =
      event === 'start' || known === undefined ? this.#push(withMetadata({ type: kind, text: '' }, chunk)) : known
    if (event === 'end') this.#open.delete(key)
    else this.#open.set(key, part)
    if (event === 'delta') part.text += chunk.delta ?? ''
    Object.assign(part, withMetadata({}, chunk))
  }

  #addTool(chunk: Chunk): void {
    const { type, toolCallId, input, output, errorText, approvalId } = chunk
    const known = this.parts.find((part) => part.toolCallId === toolCallId)
    const part = known ?? this.#push(toToolPart(chunk))
    if (input !== undefined) part.input = input
    const state = STATES[type]
    if (state !== undefined) part.state = state
    if (output !== undefined) part.output = output
    if (errorText !== undefined) part.errorText = errorText
    if (approvalId !== undefined) part.approval = { id: approvalId }
    Object.assign(part, withMetadata({}, chunk, 'callProviderMetadata'))
  }

  /** A data part with the id of an earlier one replaces it. */
  #addData(chunk: Chunk): void {
    const { id, type, transient, data } = chunk
    if (transient === true) return
    const known =
      id === undefined ? undefined : this.parts.find((part) => part.type === type && Reflect.get(part, 'id') === id)
    if (known === undefined) this.parts.push({ ...chunk })
    else known.data = data
  }

  #push(part: Draft): Draft {
    this.parts.push(part)
    return part
  }
}

const STATES: Readonly<Record<string, string>> = {
  'tool-input-start': 'input-streaming',
  'tool-input-available': 'input-available',
  'tool-input-error': 'output-error',
  'tool-approval-request': 'approval-requested',
  'tool-output-available': 'output-available',
  'tool-output-error': 'output-error',
  'tool-output-denied': 'output-denied',
}

function toToolPart({ toolName = 'tool', toolCallId = '', dynamic }: Chunk): Draft {
  const name = dynamic === true ? { type: 'dynamic-tool', toolName } : { type: `tool-${toolName}` }
  return { ...name, toolCallId, state: 'input-streaming' }
}

/** Keeps the data that a provider needs when the message is sent back, such as the signature of its reasoning. */
function withMetadata<T extends object>(part: T, { providerMetadata }: Chunk, name: string = 'providerMetadata'): T {
  return providerMetadata === undefined ? part : { ...part, [name]: providerMetadata }
}
