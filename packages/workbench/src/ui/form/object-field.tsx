import type { ReactNode } from 'react'
import { toPointer } from '@sdk/protocol'
import { freeName, removeMember, removeMemberAt, renameMemberAt, setMember, setMemberAt } from './edits.ts'
import { GroupFrame, RemoveButton } from './field-frame.tsx'
import { fieldId, useForm, type FieldProps, useFocusNext } from './form-context.ts'
import { lastMember, type Json, type JsonMember, type JsonObject } from './json-tree.ts'
import { firstValue } from './sample.ts'
import { shapeOf, type Property, type Shape } from './shape.ts'
import { memberLabel } from './titles.ts'

type ObjectProps = FieldProps<Extract<Shape, { kind: 'object' }>>

const EMPTY: JsonObject = { kind: 'object', members: [] }
const ANY_MEMBER = shapeOf(true, {})

/** The fields of an object. Optional fields can be added and removed. */
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

/**
 * Returns whether a member has a field. An absent member has one only if it is required and its shape does not contain
 * other shapes, since a recursive schema would otherwise have infinitely many fields.
 */
function hasField({ name, isRequired, shape }: Property, object: JsonObject): boolean {
  if (lastMember(object, name) !== undefined) return true
  return isRequired && !['object', 'array', 'union', 'nullable'].includes(shape().kind)
}

type AddButtonsProps = { properties: readonly Property[]; idAt(name: string): string; onAdd(one: Property): void }

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

type MapRowsProps = Pick<ObjectProps, 'shape' | 'pointer' | 'onChange'> & { object: JsonObject }

/** The members of an object that have no named field, each with an editable name and value. */
function MapRows({ object, shape, pointer, onChange }: MapRowsProps): ReactNode {
  const { properties, rest } = shape
  const names = new Set(properties.map(({ name }) => name))
  const isExtra = ({ name }: JsonMember, index: number): boolean =>
    !names.has(name) || object.members.findLastIndex((other) => other.name === name) !== index
  const extras = object.members
    .map((member, index) => ({ member, index }))
    .filter(({ member, index }) => isExtra(member, index))
  return (
    <>
      {extras.map(({ member, index }) => (
        // Keyed by index, since the name changes while it is typed.
        <MapRow key={index} {...{ object, shape, pointer, onChange, member, index }} />
      ))}
      {typeof rest === 'function' && (
        <div className="form-adds">
          <button
            type="button"
            className="form-add"
            onClick={() => onChange(setMember(object, freeName(object), { value: firstValue(rest()) }))}
          >
            + member
          </button>
        </div>
      )}
    </>
  )
}

function MapRow(props: MapRowsProps & { member: JsonMember; index: number }): ReactNode {
  const { object, shape, pointer, onChange, member, index } = props
  const { Field, id } = useForm()
  const isDouble = object.members.some((other, at) => at !== index && other.name === member.name)
  const place = `${pointer}${toPointer([member.name])}`
  const rowId = `${fieldId(id, pointer)}-name-${index}`
  return (
    <div className="form-map-row">
      <div className="form-map-name">
        <label htmlFor={rowId}>Name</label>
        <input
          id={rowId}
          type="text"
          autoComplete="off"
          spellCheck={false}
          aria-invalid={isDouble || undefined}
          aria-describedby={`${rowId}-fault`}
          value={member.name}
          onChange={(event) => onChange(renameMemberAt(object, index, event.target.value))}
        />
        {isDouble && (
          <p className="form-fault" id={`${rowId}-fault`}>
            this name is used twice: the last value is sent
          </p>
        )}
      </div>
      <Field
        shape={typeof shape.rest === 'function' ? shape.rest() : ANY_MEMBER}
        value={member.value}
        onChange={(next) =>
          onChange(next === undefined ? removeMemberAt(object, index) : setMemberAt(object, index, next))
        }
        pointer={isDouble ? `${place}#${index}` : place}
        label={memberLabel(member.name)}
        canBeAbsent={false}
        actions={
          <RemoveButton label={memberLabel(member.name)} onClick={() => onChange(removeMemberAt(object, index))} />
        }
      />
    </div>
  )
}
