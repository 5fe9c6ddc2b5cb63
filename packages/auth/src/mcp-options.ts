import { assertList, assertPath } from './assert-options.ts'

/** Options for OAuth 2.1, which lets MCP clients act for a user who has approved them. */
export interface McpOptions {
  /** The path of the app's sign-in page. */
  loginPage: string
  /** The path of the app's page on which a user approves a client. */
  consentPage: string
  /**
   * The paths that accept OAuth tokens, including the paths below them. A token is valid for only one of them: the one
   * that the client requests, or the first one.
   * @default ['/api/mcp']
   */
  resources?: readonly string[] | undefined
  /** The scopes that clients can request, for `requireScope`. @default [] @example ['tasks:read', 'tasks:write'] */
  scopes?: readonly string[] | undefined
  /**
   * How clients register: `metadata` accepts clients whose id is the https URL of a document that describes them;
   * `dynamic` also lets every client register itself.
   * @default 'metadata'
   */
  registration?: 'metadata' | 'dynamic' | undefined
  /**
   * The maximum number of clients. If there are more, those that no user has approved are deleted: clients with a
   * document, and after a day registered ones.
   * @default 1_000
   */
  maxClients?: number | undefined
}

/** The validated options with defaults applied. */
export type McpSettings = { readonly [Name in keyof McpOptions]-?: NonNullable<McpOptions[Name]> }

/** Validates the options and applies defaults. */
export function resolveMcp(options: McpOptions): McpSettings {
  const { scopes = [], registration = 'metadata', maxClients = 1000 } = options
  const resources = assertList(options.resources ?? ['/api/mcp'], 'mcp.resources')
  if (resources.length === 0) throw new TypeError('createAuth: mcp.resources must contain at least one path')
  for (const scope of assertList<unknown>(scopes, 'mcp.scopes')) {
    // RFC 6749 §3.3; other characters could end the value of a header.
    if (typeof scope !== 'string' || !/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
      throw new TypeError(
        `createAuth: mcp.scopes must contain names such as 'tasks:read', got ${JSON.stringify(scope)}`,
      )
  }
  if (!['metadata', 'dynamic'].includes(registration))
    throw new TypeError(
      `createAuth: mcp.registration must be 'metadata' or 'dynamic', got ${JSON.stringify(registration)}`,
    )
  if (!Number.isInteger(maxClients) || maxClients < 1)
    throw new TypeError(`createAuth: mcp.maxClients must be an integer of at least 1, got ${String(maxClients)}`)
  return {
    loginPage: assertPath(options.loginPage, 'mcp.loginPage'),
    consentPage: assertPath(options.consentPage, 'mcp.consentPage'),
    resources: resources.map((path) => assertPath(path, 'mcp.resources')),
    scopes,
    registration,
    maxClients,
  }
}
