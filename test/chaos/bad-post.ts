// The way of webhooks between inbox and worker, on which they get lost, come twice, or come late.
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Dice } from '../simulation/chance.js';
import type { Tally } from './options.js';

interface Letter {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export class BadPost {
  readonly #server: Server;
  readonly #target: number;
  readonly #dice: Dice;
  readonly #tally: Tally;
  readonly #late = new Set<NodeJS.Timeout>();
  #honest = false;

  /** @param target the port of the webhook receiver */
  constructor(target: number, dice: Dice, tally: Tally) {
    this.#target = target;
    this.#dice = dice;
    this.#tally = tally;
    this.#server = createServer(async (incoming, answer) => {
      const body = await buffer(incoming).catch(() => undefined);
      if (!body) return;
      const status = await this.#carry({ path: incoming.url ?? '/', headers: incoming.headers, body });
      if (status === 'cut') answer.destroy();
      else answer.writeHead(status).end();
    });
  }

  async listen(): Promise<number> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return (this.#server.address() as AddressInfo).port;
  }

  /** From now on everything is carried as it should be. */
  beHonest(): void {
    this.#honest = true;
  }

  async close(): Promise<void> {
    for (const timer of this.#late) clearTimeout(timer);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #carry(letter: Letter): Promise<number | 'cut'> {
    const fate = this.#honest ? 1 : this.#dice.next();
    if (fate < 0.15) {
      this.#tally.add('webhook dropped');
      return 202;
    }
    if (fate < 0.25) {
      this.#tally.add('webhook cut');
      return 'cut';
    }
    if (fate < 0.45) {
      this.#tally.add('webhook late');
      const timer = setTimeout(
        () => {
          this.#late.delete(timer);
          void this.#deliver(letter);
        },
        this.#dice.between(200, 8_000),
      );
      this.#late.add(timer);
      return 202;
    }
    const status = await this.#deliver(letter);
    if (fate < 0.65) {
      this.#tally.add('webhook doubled');
      await this.#deliver(letter);
    }
    return status;
  }

  /** 502 while the worker is down: the inbox tries again. */
  #deliver({ path, headers, body }: Letter): Promise<number> {
    return new Promise((resolve) => {
      const options = { host: '127.0.0.1', port: this.#target, path, method: 'POST', headers };
      const onward = request(options, (reply) => {
        reply.resume();
        resolve(reply.statusCode ?? 502);
      });
      onward.on('error', () => resolve(502));
      onward.setTimeout(5_000, () => onward.destroy());
      onward.end(body);
    });
  }
}
