import { useState, type ReactNode } from 'react'
import { FieldFrame } from './field-frame.tsx'
import { useFieldIds, type FieldProps } from './form-context.ts'
import { printJson, tryParseJsonTree } from './json-text.ts'
import type { Json } from './json-tree.ts'

interface JsonFieldProps extends FieldProps {
  /** @default 'JSON' */
  readonly hint?: string
  readonly onFocus?: () => void
  readonly onBlur?: () => void
}

/** Any value as JSON, for what no other field can show. */
export function JsonField(props: JsonFieldProps): ReactNode {
  const { value, onChange, canBeAbsent = true, hint = 'JSON', onFocus, onBlur } = props
  const { control } = useFieldIds(props)
  const [draft, setDraft] = useState<{ text: string; over: Json | undefined } | null>(null)
  const text = draft !== null && draft.over === value ? draft.text : value === undefined ? '' : printJson(value)
  const isBroken = text.trim() === '' ? !canBeAbsent : tryParseJsonTree(text) === undefined

  function onType(next: string): void {
    const json = next.trim() === '' && canBeAbsent ? undefined : tryParseJsonTree(next)
    const isWhole = json !== undefined || (next.trim() === '' && canBeAbsent)
    // The typed text stays as it is, even where the form would format it differently.
    setDraft({ text: next, over: isWhole ? json : value })
    if (isWhole) onChange(json)
  }

  return (
    <FieldFrame {...props} hint={hint} ownIssue={isBroken ? 'is not valid JSON yet' : undefined}>
      <textarea
        {...control}
        aria-invalid={isBroken || control['aria-invalid']}
        rows={Math.min(8, text.split('\n').length)}
        spellCheck={false}
        value={text}
        onFocus={onFocus}
        onBlur={onBlur}
        onChange={(event) => onType(event.target.value)}
      />
    </FieldFrame>
  )
}
