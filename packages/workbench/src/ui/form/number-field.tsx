import { useState, type ReactNode } from 'react'
import { FieldFrame } from './field-frame.tsx'
import { useFieldIds, type FieldProps } from './form-context.ts'
import { isJsonNumber } from './json-text.ts'
import { isExactNumber, type Json } from './json-tree.ts'
import type { Shape } from './shape.ts'

type NumberShape = Extract<Shape, { kind: 'number' }>

/**
 * A field for a number. Digits are stored as text, so numbers that JavaScript cannot represent exactly are sent as
 * typed.
 */
export function NumberField(props: FieldProps<NumberShape>): ReactNode {
  const { shape, value, onChange, canBeAbsent = true } = props
  const { control } = useFieldIds(props)
  const kept = value?.kind === 'number' ? value.text : ''
  // Typed text that is not a number yet, and the value that it will replace.
  const [draft, setDraft] = useState<{ text: string; over: Json | undefined } | null>(null)
  const isDraft = draft !== null && draft.over === value
  const text = isDraft ? draft.text : kept

  function onType(next: string): void {
    const trimmed = next.trim()
    if (isJsonNumber(trimmed)) onChange({ kind: 'number', text: trimmed })
    else if (trimmed === '' && canBeAbsent) onChange(undefined)
    else setDraft({ text: next, over: value })
  }

  return (
    <FieldFrame {...props} hint={hintOf(shape)} ownIssue={isDraft ? draftIssue(text, kept) : undefined}>
      <input
        {...control}
        aria-invalid={isDraft || control['aria-invalid']}
        type="text"
        inputMode={shape.isInteger ? 'numeric' : 'decimal'}
        autoComplete="off"
        value={text}
        onChange={(event) => onType(event.target.value)}
      />
      {!isExactNumber(text) && isJsonNumber(text) && (
        <p className="form-note">has more digits than a JavaScript number can represent, but is sent as typed</p>
      )}
    </FieldFrame>
  )
}

function draftIssue(text: string, kept: string): string {
  const sent = kept === '' ? 'nothing is sent' : `${kept} is sent`
  return `${text.trim() === '' ? 'must be a number' : 'is not a number yet'}; ${sent}`
}

function hintOf({ isInteger, schema }: NumberShape): string {
  const least = limitText(schema['minimum']) ?? limitText(schema['exclusiveMinimum'], '> ')
  const most = limitText(schema['maximum']) ?? limitText(schema['exclusiveMaximum'], '< ')
  const type = isInteger ? 'integer' : 'number'
  if (least !== undefined && most !== undefined) return `${type} ${least} – ${most}`
  const limit = least === undefined ? (most === undefined ? '' : `≤ ${most}`) : `≥ ${least}`
  return `${type} ${limit.replace(/^[≤≥] (?=[<>])/, '')}`.trimEnd()
}

/** Formats a limit, or returns undefined if it is merely the limit of safe integers. */
function limitText(limit: unknown, sign = ''): string | undefined {
  return typeof limit === 'number' && Math.abs(limit) < Number.MAX_SAFE_INTEGER ? `${sign}${limit}` : undefined
}
