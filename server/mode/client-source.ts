/** What choose-client lists: the attached clients (tmux(1) choose-client). */
import type { Row } from '../../protocol/cell.ts';
import type { Key } from '../../protocol/key.ts';
import type { ClientSession } from '../model/client-session.ts';
import type { Registry } from '../model/registry.ts';
import { drawPlain } from './buffer-source.ts';
import { type ListItem, lineKey } from './list-rows.ts';
import type { ListAction, ListCall, ListSource, ListTemplate, ListView } from './list-source.ts';
import { drawPanes } from './tree-preview.ts';

export interface ClientServices {
  readonly registry: Registry;
  expand(format: string, client: ClientSession, extra?: Readonly<Record<string, string>>): string;
  isTrue(text: string): boolean;
  run(template: ListTemplate, name: string, call: ListCall): void;
}

export interface ClientOptions {
  readonly format: string | undefined;
  readonly keyFormat: string | undefined;
  readonly template: ListTemplate;
}

const FORMAT = '#{t/p:client_activity}: session #{session_name}';

export class ClientSource implements ListSource {
  readonly modeName = 'client-mode';
  readonly sorts = ['name', 'size', 'creation', 'activity'];
  readonly actions: readonly ListAction[] = [
    this.#command('d', 'Detach', { template: "detach-client -t '%%'" }),
    this.#command('D', 'Detach Tagged', { template: "detach-client -t '%%'", tagged: true }),
    this.#command('x', 'Kill', { template: "detach-client -P -t '%%'" }),
    this.#command('X', 'Kill Tagged', { template: "detach-client -P -t '%%'", tagged: true }),
    this.#command('z', 'Suspend', { template: "suspend-client -t '%%'" }),
    this.#command('Z', 'Suspend Tagged', { template: "suspend-client -t '%%'", tagged: true }),
  ];
  readonly #services: ClientServices;
  readonly #options: ClientOptions;

  constructor(services: ClientServices, options: ClientOptions) {
    this.#services = services;
    this.#options = options;
  }

  #command(key: Key, help: string, { template, tagged }: { template: string; tagged?: boolean }): ListAction {
    return {
      key,
      help,
      inMenu: true,
      run: (call) => {
        const items = tagged ? call.list.tagged() : [call.item];
        for (const { id } of items) this.#services.run(template, id, call);
        call.list.refresh();
      },
    };
  }

  #clientOf(item: ListItem): ClientSession | undefined {
    return this.#services.registry.attachedClients().find(({ name }) => name === item.id);
  }

  items({ sort, isReversed, filter }: ListView): readonly ListItem[] {
    const field = FIELDS[sort];
    const clients = this.#services.registry.attachedClients();
    if (field) clients.sort((a, b) => (field(a) < field(b) ? -1 : field(a) > field(b) ? 1 : 0));
    if (isReversed) clients.reverse();
    const { expand, isTrue } = this.#services;
    return clients
      .filter((client) => filter === undefined || isTrue(expand(filter, client)))
      .map((client) => ({
        id: client.name,
        name: client.name,
        text: expand(this.#options.format ?? FORMAT, client),
      }));
  }

  lineKey(item: ListItem, at: number): Key | undefined {
    const { keyFormat } = this.#options;
    const client = this.#clientOf(item);
    if (keyFormat === undefined || !client) return lineKey(at);
    return this.#services.expand(keyFormat, client, { line: String(at) }) || undefined;
  }

  choose(call: ListCall): boolean {
    this.#services.run(this.#options.template, call.item.id, call);
    return true;
  }

  preview(item: ListItem, rows: readonly Row[]): void {
    const client = this.#clientOf(item);
    const session = client?.session;
    if (!client || !session || session.isEmpty) return;
    const last = rows.at(-1);
    const pane = session.current.window.active;
    const colors = { active: 0, other: 0 };
    drawPanes(rows.slice(0, -2), { colors, parts: [{ pane, label: undefined, isActive: true }] }, 0);
    const { cols, rows: height } = client.size;
    if (last) drawPlain(last, `${client.term}, ${cols}x${height}, [${session.name}] ${session.current.window.name}`);
  }
}

const FIELDS: Readonly<Record<string, (client: ClientSession) => string | number>> = {
  name: ({ name }) => name,
  size: ({ size }) => size.cols * size.rows,
  creation: ({ created }) => created,
  activity: ({ useOrder }) => -useOrder,
};
