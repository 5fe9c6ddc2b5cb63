import { useState, type ReactNode } from 'react'
import { ArrayField } from './array-field.tsx'
import { BooleanField, ChoiceField, ConstField } from './choice-field.tsx'
import { fits } from './fit.ts'
import { useFieldIds, type FieldProps } from './form-context.ts'
import { FieldFrame } from './field-frame.tsx'
import { printJson, tryParseJsonTree } from './json-text.ts'
import { NULL, type Json } from './json-tree.ts'
import { NumberField } from './number-field.tsx'
import { ObjectField } from './object-field.tsx'
import { firstValue } from './sample.ts'
import { isShowable, TextField } from './text-field.tsx'
import { NullableField, UnionField } from './union-field.tsx'

/** A field for any shape. A value that the field cannot display is shown as JSON. */
export function Field(props: FieldProps): ReactNode {
  const { shape, value } = props
  // While the user types JSON, the field remains a JSON field, even if the value starts to fit the shape.
  const [isRaw, setRaw] = useState(false)
  const canShow = fits(shape, value) && (value?.kind !== 'string' || shape.kind !== 'string' || isShowable(value.value))
  if (canShow && !isRaw) return <FittingField {...props} />
  return <Misfit {...props} onFocus={() => setRaw(true)} onBlur={() => setRaw(false)} />
}

function FittingField({ shape, ...rest }: FieldProps): ReactNode {
  if (shape.kind === 'string') return <TextField {...rest} shape={shape} />
  if (shape.kind === 'number') return <NumberField {...rest} shape={shape} />
  if (shape.kind === 'boolean') return <BooleanField {...rest} shape={shape} />
  if (shape.kind === 'choice') return <ChoiceField {...rest} shape={shape} />
  if (shape.kind === 'const') return <ConstField {...rest} shape={shape} only={shape.value} />
  if (shape.kind === 'null') return <ConstField {...rest} shape={shape} only={NULL} />
  if (shape.kind === 'object') return <ObjectField {...rest} shape={shape} />
  if (shape.kind === 'array') return <ArrayField {...rest} shape={shape} />
  if (shape.kind === 'union') return <UnionField {...rest} shape={shape} />
  if (shape.kind === 'nullable') return <NullableField {...rest} shape={shape} />
  return <JsonField {...rest} shape={shape} />
}

function Misfit(props: JsonFieldProps): ReactNode {
  const { shape, onChange, actions, label } = props
  return (
    <JsonField
      {...props}
      hint="JSON: the value does not match the schema"
      actions={
        <>
          {shape.kind !== 'never' && (
            <button
              type="button"
              className="form-add"
              aria-label={`Replace ${label}`}
              title="Replace with a valid value"
              onClick={() => onChange(firstValue(shape))}
            >
              Replace
            </button>
          )}
          {actions}
        </>
      }
    />
  )
}

type JsonFieldProps = FieldProps & { hint?: string; onFocus?: () => void; onBlur?: () => void }

/** A JSON field for values that no other field can display. */
function JsonField(props: JsonFieldProps): ReactNode {
  const { value, onChange, canBeAbsent = true, hint = 'JSON', onFocus, onBlur } = props
  const { control } = useFieldIds(props)
  const [draft, setDraft] = useState<{ text: string; over: Json | undefined } | null>(null)
  const text = draft !== null && draft.over === value ? draft.text : value === undefined ? '' : printJson(value)
  const isBroken = text.trim() === '' ? !canBeAbsent : tryParseJsonTree(text) === undefined

  function onType(next: string): void {
    const json = next.trim() === '' && canBeAbsent ? undefined : tryParseJsonTree(next)
    const isWhole = json !== undefined || (next.trim() === '' && canBeAbsent)
    // The typed text is kept, even if the form would format it differently.
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
