import { readStored, writeStored } from '../components/stored-value.ts'
import { isJsonObject } from '../form/json-schema.ts'
import { toChatMessages, type ChatMessage } from './chat-message.ts'

/** A conversation that continues after a reload. */
export interface StoredChat {
  readonly thread: string
  readonly messages: readonly ChatMessage[]
}

/** Reads the conversation with an agent in this tab, or returns null if there is none. */
export function readChat(route: string): StoredChat | null {
  const stored = readStored(toKey(route), () => sessionStorage)
  if (!isJsonObject(stored) || typeof stored['thread'] !== 'string' || !Array.isArray(stored['messages'])) return null
  return { thread: stored['thread'], messages: toChatMessages(stored['messages']) }
}

/** Stores the conversation with an agent until the tab is closed. */
export function storeChat(route: string, chat: StoredChat): void {
  writeStored(toKey(route), chat, () => sessionStorage)
}

function toKey(route: string): string {
  return `workbench:chat:${route}`
}
