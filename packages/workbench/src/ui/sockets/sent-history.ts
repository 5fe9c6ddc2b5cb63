import { readStored, writeStored } from '../components/stored-value.ts'
import type { JsonSchema } from '../form/json-schema.ts'
import { printJson } from '../form/json-text.ts'
import { sampleOf } from '../form/sample.ts'
import { shapeOf } from '../form/shape.ts'

const MAX_SENT = 50

const SENT_KEY = 'workbench:sent:'

/** Reads the messages previously sent over a socket, oldest first. */
export function readSent(path: string): readonly string[] {
  const stored = readStored(SENT_KEY + path)
  return Array.isArray(stored) ? stored.filter((text) => typeof text === 'string') : []
}

/** Stores a sent message. If it was sent before, it moves to the end. */
export function rememberSent(path: string, text: string): readonly string[] {
  const next = [...readSent(path).filter((other) => other !== text), text].slice(-MAX_SENT)
  writeStored(SENT_KEY + path, next)
  return next
}

/** Returns an initial message: a sample from the socket's schema, or a default message if there is no schema. */
export function sampleMessage(schema: JsonSchema | undefined): string {
  const json = schema === undefined ? undefined : sampleOf(shapeOf(schema, schema), 'minimal')
  return json === undefined ? '{ "text": "Hello" }' : printJson(json)
}

/** Returns the reason why a string is not valid JSON, or null if it is valid. */
export function jsonSyntaxIssue(text: string): string | null {
  try {
    JSON.parse(text)
    return null
  } catch (error) {
    return (error as Error).message
  }
}

/**
 * Returns the messages to send for one click on Send. If there are several, `$n` is replaced by each message's number.
 */
export function toBurst(text: string, times: number): string[] {
  if (times <= 1) return [text]
  return Array.from({ length: times }, (_, index) => text.replaceAll('$n', String(index + 1)))
}
