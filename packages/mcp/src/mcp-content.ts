import type { RouteTool } from '@sdk/server'

/** A part of a tool's result, as MCP clients receive it. Binary data is base64. */
export type McpBlock =
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType: string } & ({ text: string } | { blob: string }) }

/** A result with several parts. */
export interface McpBlocks {
  content: McpBlock[]
}

/** A Standard Schema with JSON Schema. */
interface McpContentSchema {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => { value: McpBlocks } | { issues: Issue[] }
    readonly types?: { readonly input: McpBlocks; readonly output: McpBlocks }
    readonly jsonSchema: Readonly<Record<'input' | 'output', () => Record<string, unknown>>>
  }
}

interface Issue {
  readonly message: string
  readonly path: readonly (string | number)[]
}

const MAX_BLOCKS = 100
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/
/** The keyword that identifies the schema after its conversion to JSON Schema. */
const MARK = 'x-mcp-content'

/**
 * The `output` schema of routes and agents whose result has several parts, such as text and an image. MCP clients receive
 * up to 100 content blocks, other clients receive the same as JSON.
 * @example
 * createAgent('chart', {
 *   output: mcpContent,
 *   handler: (_ctx) => ({ content: [{ type: 'text', text: 'Sales grew.' }] }),
 * })
 */
export const mcpContent: McpContentSchema = {
  '~standard': {
    version: 1,
    vendor: '@sdk/mcp',
    validate: validateContent,
    jsonSchema: { input: toContentSchema, output: toContentSchema },
  },
}

/** Returns whether the result of a tool is a list of blocks. */
export function returnsContent({ outputSchema, isStream }: Pick<RouteTool, 'outputSchema' | 'isStream'>): boolean {
  return !isStream && outputSchema?.[MARK] === true
}

/** Returns the blocks of a result, or null if it has others. A `Response` of a handler has not been validated. */
export function readMcpBlocks(value: unknown): McpBlock[] | null {
  const result = validateContent(value)
  return 'value' in result ? result.value.content : null
}

/** Keeps only known members, as clients reject some values of others. */
function validateContent(value: unknown): { value: McpBlocks } | { issues: Issue[] } {
  const blocks = isObject(value) ? value['content'] : undefined
  if (!Array.isArray(blocks) || blocks.length > MAX_BLOCKS)
    return { issues: [{ message: `must be an array of at most ${MAX_BLOCKS} blocks`, path: ['content'] }] }
  const content: McpBlock[] = []
  for (const [at, given] of blocks.entries()) {
    const block = readBlock(given)
    if (block === null)
      return { issues: [{ message: 'must be a text, image, audio or resource block', path: ['content', at] }] }
    content.push(block)
  }
  return { value: { content } }
}

function readBlock(block: unknown): McpBlock | null {
  if (!isObject(block)) return null
  const { type, text, data, mimeType, resource } = block
  if (type === 'text') return typeof text === 'string' ? { type, text } : null
  if (type === 'image' || type === 'audio')
    return isBase64(data) && typeof mimeType === 'string' ? { type, data, mimeType } : null
  return type === 'resource' ? readResource(resource) : null
}

function readResource(resource: unknown): McpBlock | null {
  if (!isObject(resource)) return null
  const { uri, mimeType, text, blob } = resource
  if (typeof uri !== 'string' || typeof mimeType !== 'string') return null
  if (typeof text === 'string') return { type: 'resource', resource: { uri, mimeType, text } }
  return isBase64(blob) ? { type: 'resource', resource: { uri, mimeType, blob } } : null
}

function isBase64(value: unknown): value is string {
  return typeof value === 'string' && value.length % 4 === 0 && BASE64.test(value)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function toContentSchema(): Record<string, unknown> {
  const text = { type: 'string' }
  const base64 = { type: 'string', contentEncoding: 'base64', pattern: BASE64.source }
  const toObject = (properties: object): object => ({ type: 'object', properties, required: Object.keys(properties) })
  const toResource = (part: object): object => toObject({ uri: text, mimeType: text, ...part })
  const blocks = [
    toObject({ type: { const: 'text' }, text }),
    toObject({ type: { enum: ['image', 'audio'] }, data: base64, mimeType: text }),
    toObject({
      type: { const: 'resource' },
      resource: { anyOf: [toResource({ text }), toResource({ blob: base64 })] },
    }),
  ]
  const content = { type: 'array', maxItems: MAX_BLOCKS, items: { anyOf: blocks } }
  return { ...toObject({ content }), [MARK]: true }
}
