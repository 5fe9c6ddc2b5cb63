import { useState, type ReactNode } from 'react'
import { ArrayField } from './array-field.tsx'
import { BooleanField, ChoiceField, ConstField } from './choice-field.tsx'
import { fits } from './fit.ts'
import type { FieldProps } from './form-context.ts'
import { JsonField } from './json-field.tsx'
import { NULL } from './json-tree.ts'
import { NullableField } from './nullable-field.tsx'
import { NumberField } from './number-field.tsx'
import { ObjectField } from './object-field.tsx'
import { firstValue } from './sample.ts'
import { isShowable, TextField } from './text-field.tsx'
import { UnionField } from './union-field.tsx'

/** The field of any shape; a value that it cannot show is shown as JSON. */
export function Field(props: FieldProps): ReactNode {
  const { shape, value } = props
  // While JSON is typed, the field stays a JSON field, even when the value begins to fit the shape.
  const [isRaw, setRaw] = useState(false)
  const canShow = fits(shape, value) && (value?.kind !== 'string' || shape.kind !== 'string' || isShowable(value.value))
  if (canShow && !isRaw) return <FittingField {...props} />
  return <Misfit {...props} onFocus={() => setRaw(true)} onBlur={() => setRaw(false)} />
}

function FittingField({ shape, ...rest }: FieldProps): ReactNode {
  switch (shape.kind) {
    case 'string':
      return <TextField {...rest} shape={shape} />
    case 'number':
      return <NumberField {...rest} shape={shape} />
    case 'boolean':
      return <BooleanField {...rest} shape={shape} />
    case 'choice':
      return <ChoiceField {...rest} shape={shape} />
    case 'const':
      return <ConstField {...rest} shape={shape} only={shape.value} />
    case 'null':
      return <ConstField {...rest} shape={shape} only={NULL} />
    case 'object':
      return <ObjectField {...rest} shape={shape} />
    case 'array':
      return <ArrayField {...rest} shape={shape} />
    case 'union':
      return <UnionField {...rest} shape={shape} />
    case 'nullable':
      return <NullableField {...rest} shape={shape} />
    case 'any':
    case 'never':
      break
  }
  return <JsonField {...rest} shape={shape} />
}

function Misfit(props: FieldProps & { onFocus: () => void; onBlur: () => void }): ReactNode {
  const { shape, onChange, actions, label } = props
  return (
    <JsonField
      {...props}
      hint="JSON: it fits no other field"
      actions={
        <>
          {shape.kind !== 'never' && (
            <button
              type="button"
              className="form-add"
              aria-label={`Replace ${label}`}
              title="Begin again with a value that fits"
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
