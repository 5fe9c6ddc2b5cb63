import type { ReactNode } from 'react'
import { FieldFrame } from './field-frame.tsx'
import { useFieldIds, useForm, type FieldProps, useFocusNext } from './form-context.ts'
import { NULL, type Json } from './json-tree.ts'
import { firstValue } from './sample.ts'
import type { Shape } from './shape.ts'

/** The values before they became null, kept while the page is open. */
const valuesBeforeNull = new WeakMap<Shape, Map<string, Json>>()

/** A field that can be null instead. */
export function NullableField(props: FieldProps<Extract<Shape, { kind: 'nullable' }>>): ReactNode {
  const { shape, value, onChange, pointer, actions, label } = props
  const { Field } = useForm()
  const { id } = useFieldIds(props)
  const focusNext = useFocusNext()
  const isNull = value?.kind === 'null'
  const kept = valuesBeforeNull.get(shape) ?? new Map<string, Json>()
  valuesBeforeNull.set(shape, kept)

  function toggle(): void {
    if (!isNull && value !== undefined) kept.set(pointer, value)
    focusNext(`${id}-null`)
    onChange(isNull ? (kept.get(pointer) ?? firstValue(shape.inner())) : NULL)
  }

  const more = (
    <>
      <button
        type="button"
        id={`${id}-null`}
        className="form-null"
        aria-pressed={isNull}
        aria-label={`${label}: null`}
        onClick={toggle}
      >
        null
      </button>
      {actions}
    </>
  )
  if (isNull)
    return (
      <FieldFrame {...props} actions={more}>
        <input id={id} className="form-const" type="text" readOnly value="null" />
      </FieldFrame>
    )
  return <Field {...props} shape={shape.inner()} note={shape.description ?? shape.title} actions={more} />
}
