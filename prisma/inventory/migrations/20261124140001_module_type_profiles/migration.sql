-- Profiles that a new database begins with, as the reference server's does. A database that has users keeps what it has.
INSERT INTO dcim_moduletypeprofile (name, schema)
SELECT given.name, jsonb_build_object('properties', given.properties)
  FROM (VALUES
    ('CPU', '{
      "architecture": {"title": "Architecture", "description": "Instruction set", "type": "string"},
      "speed": {"title": "Speed", "description": "Clock rate, in GHz", "type": "number"},
      "cores": {"title": "Cores", "description": "Number of cores", "type": "integer"}}'::jsonb),
    ('Expansion card', '{
      "connector_type": {"title": "Connector type", "description": "Connector, such as PCIe x4", "type": "string"},
      "bandwidth": {"title": "Bandwidth", "description": "Total bandwidth, in Gbps", "type": "integer"}}'),
    ('Fan', '{
      "rpm": {"title": "RPM", "description": "Revolutions per minute", "type": "integer"}}'),
    ('GPU', '{
      "interface": {"title": "Interface", "description": "Connector, such as PCIe 4.0 x16", "type": "string"},
      "gpu": {"title": "GPU", "description": "Name of the processor", "type": "string"},
      "memory": {"title": "Memory", "description": "Total memory, in GB", "type": "integer"}}'),
    ('Hard disk', '{
      "type": {"title": "Type", "description": "Kind of drive", "type": "string", "enum": ["HD", "SSD", "NVME"]},
      "size": {"title": "Size", "description": "Capacity, in GB", "type": "integer"},
      "speed": {"title": "Speed", "description": "Revolutions per minute of a spinning drive", "type": "integer"}}'),
    ('Memory', '{
      "class": {"title": "Class", "description": "Generation", "type": "string", "enum": ["DDR3", "DDR4", "DDR5"]},
      "size": {"title": "Size", "description": "Capacity, in GB", "type": "integer"},
      "data_rate": {"title": "Data rate", "description": "Speed, in MT/s", "type": "integer"},
      "ecc": {"title": "ECC", "description": "Corrects errors", "type": "boolean"}}'),
    ('Power supply', '{
      "input_current": {"title": "Current type", "type": "string", "enum": ["AC", "DC"]},
      "input_voltage": {"title": "Voltage", "description": "Input voltage, in volts", "type": "integer"},
      "wattage": {"title": "Wattage", "description": "Greatest output, in watts", "type": "integer"},
      "hot_swappable": {"title": "Hot-swappable", "type": "boolean"}}')
  ) AS given (name, properties)
 WHERE NOT EXISTS (SELECT FROM users_user)
ON CONFLICT DO NOTHING;
