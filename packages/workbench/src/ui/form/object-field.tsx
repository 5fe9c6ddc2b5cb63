import type { ReactNode } from 'react'
import { toPointer } from '@sdk/protocol'
import { removeMember, setMember } from './edits.ts'
import { GroupFrame, RemoveButton } from './field-frame.tsx'
import { fieldId, useForm, type FieldProps, useFocusNext } from './form-context.ts'
import { lastMember, type Json, type JsonObject } from './json-tree.ts'
import { MapRows } from './map-rows.tsx'
import { firstValue } from './sample.ts'
import type { Property, Shape } from './shape.ts'
import { memberLabel } from './titles.ts'

type ObjectProps = FieldProps<Extract<Shape, { kind: 'object' }>>

const EMPTY: JsonObject = { kind: 'object', members: [] }

/** Named fields; those that may be left out are added and removed. */
export function ObjectField(props: ObjectProps): ReactNode {
  const { pointer, value } = props
  if (pointer === '') return <MemberFields {...props} />
  const count = value?.kind === 'object' ? value.members.length : 0
  return (
    <GroupFrame {...props} hint="object" count={count}>
      <MemberFields {...props} />
    </GroupFrame>
  )
}

function MemberFields({ shape, value, onChange, pointer, hidden = null }: ObjectProps): ReactNode {
  const { Field, id } = useForm()
  const focusNext = useFocusNext()
  const object = value?.kind === 'object' ? value : EMPTY
  const order = shape.properties.map(({ name }) => name)
  const edit = (name: string, next: Json | undefined): void =>
    onChange(next === undefined ? removeMember(object, name) : setMember(object, name, { value: next, order }))
  const idAt = (name: string): string => fieldId(id, `${pointer}${toPointer([name])}`)
  const remove = (name: string): void => {
    focusNext(`${idAt(name)}-add`)
    edit(name, undefined)
  }
  const seen = shape.properties.filter((property) => property.name !== hidden)
  const shown = seen.filter((property) => hasField(property, object))
  return (
    <>
      {shown.map(({ name, isRequired, shape: inner }) => (
        <Field
          key={name}
          shape={inner()}
          value={lastMember(object, name)}
          onChange={(next) => edit(name, next)}
          pointer={`${pointer}${toPointer([name])}`}
          label={memberLabel(name)}
          isRequired={isRequired}
          actions={!isRequired && <RemoveButton label={memberLabel(name)} onClick={() => remove(name)} />}
        />
      ))}
      <MapRows object={object} shape={shape} pointer={pointer} onChange={onChange} />
      <AddButtons
        properties={seen.filter((property) => !hasField(property, object))}
        idAt={idAt}
        onAdd={({ name, shape: inner }) => {
          focusNext(idAt(name))
          edit(name, firstValue(inner()))
        }}
      />
    </>
  )
}

/** A required member has a field at once, except an object: a recursive schema would have fields without end. */
function hasField({ name, isRequired, shape }: Property, object: JsonObject): boolean {
  if (lastMember(object, name) !== undefined) return true
  return isRequired && !['object', 'array', 'union', 'nullable'].includes(shape().kind)
}

interface AddButtonsProps {
  readonly properties: readonly Property[]
  readonly idAt: (name: string) => string
  readonly onAdd: (one: Property) => void
}

function AddButtons({ properties, idAt, onAdd }: AddButtonsProps): ReactNode {
  if (properties.length === 0) return null
  return (
    <div className="form-adds">
      {properties.map((property) => (
        <button
          key={property.name}
          type="button"
          id={`${idAt(property.name)}-add`}
          className="form-add"
          data-required={property.isRequired || undefined}
          title={property.shape().description}
          onClick={() => onAdd(property)}
        >
          + {memberLabel(property.name)}
        </button>
      ))}
    </div>
  )
}
