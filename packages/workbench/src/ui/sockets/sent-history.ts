import type { JsonSchema } from '../form/json-schema.ts'
import { printJson } from '../form/json-text.ts'
import { sampleOf } from '../form/sample.ts'
import { shapeOf } from '../form/shape.ts'

const MAX_SENT = 50

const SENT_KEY = 'workbench:sent:'

/** What was sent over a socket before, the latest last; kept by the browser. */
export function readSent(path: string): readonly string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(SENT_KEY + path) ?? '[]')
    return Array.isArray(kept) ? kept.filter((text) => typeof text === 'string') : []
  } catch {
    return [] // not written by this version
  }
}

/** Remembers a message; one that was sent before moves to the end. */
export function rememberSent(path: string, text: string): readonly string[] {
  const next = [...readSent(path).filter((other) => other !== text), text].slice(-MAX_SENT)
  try {
    localStorage.setItem(SENT_KEY + path, JSON.stringify(next))
  } catch {
    // The storage is full: the message is only not remembered.
  }
  return next
}

/** A first message: what the socket's schema asks for, or a guess where there is none. */
export function sampleMessage(schema: JsonSchema | undefined): string {
  const json = schema === undefined ? undefined : sampleOf(shapeOf(schema, schema), 'minimal')
  return json === undefined ? '{ "text": "Hello" }' : printJson(json)
}

/** Why a text is not JSON; null where it is. */
export function jsonSyntaxIssue(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/** The messages of one press of Send: `$n` in the text counts them, where there are several. */
export function toBurst(text: string, times: number): string[] {
  if (times <= 1) return [text]
  return Array.from({ length: times }, (_, index) => text.replaceAll('$n', String(index + 1)))
}
